/** Templates: presets for pods, the account's own and a few public ones; names of one's own are unique. */
import { nextId } from './chance.ts';
import { done, notFound, type Outcome, refused, rule } from './outcome.ts';
import type { TemplateState, World } from './state.ts';

export type TemplateWish = Omit<TemplateState, 'id' | 'source' | 'createdAt'>;

/** Which of these were given; undefined = unchanged. */
export type TemplateChange = { readonly [Key in keyof TemplateWish]?: TemplateWish[Key] | undefined };

export const BLANK_TEMPLATE: Omit<TemplateWish, 'name' | 'image'> = {
  args: '',
  cmd: null,
  entrypoint: null,
  // Omitting a disk in a template is allowed; what it then is, is not documented.
  diskGb: 50,
  persistent: null,
  ports: [],
  env: {},
  registryId: null,
  serverless: false,
  public: false,
  category: 'NVIDIA',
  startSsh: true,
  startJupyter: true,
  allowedCudaVersions: [],
};

function ownTemplate(world: World, id: string): TemplateState | null {
  const template = world.templates.get(id);
  return template?.source === 'own' ? template : null;
}

function nameTaken(world: World, name: string, except: string | null): boolean {
  return [...world.templates.values()].some(
    (template) => template.source === 'own' && template.name === name && template.id !== except,
  );
}

export function createTemplate(world: World, wish: TemplateWish): Outcome<TemplateState> {
  if (nameTaken(world, wish.name, null)) return rule('Template name must be unique');
  if (wish.registryId !== null && !world.registries.has(wish.registryId)) return notFound();
  const template: TemplateState = {
    ...wish,
    id: nextId(world.chance, 10),
    source: 'own',
    createdAt: world.now,
  };
  world.templates.set(template.id, template);
  return done(template);
}

/** Public templates can be read by all and written by none: a write answers as if they were not there. */
export function changeTemplate(world: World, id: string, change: TemplateChange): Outcome<TemplateState> {
  const template = ownTemplate(world, id);
  if (template === null) return notFound();
  if (change.name !== undefined && nameTaken(world, change.name, id))
    return rule('Template name must be unique');
  if (change.registryId != null && !world.registries.has(change.registryId)) return notFound();
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const changed: TemplateState = { ...template, ...given };
  world.templates.set(id, changed);
  return done(changed);
}

export function deleteTemplate(world: World, id: string): Outcome<null> {
  const template = ownTemplate(world, id);
  if (template === null) return notFound();
  world.templates.delete(id);
  return done(null);
}

/** The public catalog a new world starts with. */
export function publicTemplates(at: number): TemplateState[] {
  const official = (id: string, name: string, image: string, category: 'NVIDIA' | 'CPU'): TemplateState => ({
    ...BLANK_TEMPLATE,
    id,
    name,
    image,
    category,
    ports: ['8888/http', '22/tcp'],
    persistent: category === 'CPU' ? null : { sizeGb: 20, path: '/workspace' },
    public: true,
    source: 'official',
    createdAt: at,
  });
  return [
    official(
      'runpod-torch-v280',
      'Runpod Pytorch 2.8.0',
      'runpod/pytorch:1.0.2-cu1281-torch280-ubuntu2404',
      'NVIDIA',
    ),
    official('runpod-ubuntu', 'Runpod Ubuntu', 'runpod/base:1.0.2-ubuntu2404', 'CPU'),
  ];
}

/** By name, as GraphQL deletes. */
export function deleteTemplateNamed(world: World, name: string): Outcome<null> {
  const template = [...world.templates.values()].find((one) => one.source === 'own' && one.name === name);
  if (template === undefined) return refused('not-found', 'Template not found');
  return deleteTemplate(world, template.id);
}
