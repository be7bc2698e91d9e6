/** The entry of the bundle: opens one door by its name and loads nothing that only the others need. */
import './dirname.ts';

/** Resolves or exits when the door's work is done; an unknown name is a mistake in the build. */
export async function door(name: string): Promise<void> {
  switch (name) {
    case 'register':
      return await (await import('./register.ts')).run();
    case 'post':
      return await (await import('./post.ts')).run();
    case 'arm':
      return await (await import('./arm.ts')).run();
    case 'reap':
      return await (await import('./reap.ts')).run();
    case 'setup':
      return await (await import('./setup.ts')).run();
    case 'teardown':
      return await (await import('./teardown.ts')).run();
    case 'cli':
      return await (await import('../cli/process-io.ts')).runProcess();
    default:
      throw new Error(`podtrack has no door named ${name}`);
  }
}
