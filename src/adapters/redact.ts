/** Takes known secrets, and what is plainly a token, out of texts that people or files will see. */

/** Shorter ones would tear holes into ordinary words and are no secrets anyway. */
const LEAST_LENGTH = 6;
const HIDDEN = '[secret]';

/** Tokens that give themselves away by their shape: RunPod, GitHub, Hugging Face, OpenAI, Slack, AWS, private keys, Bearer. */
const TOKEN_SHAPES: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /\b(?:rpa_|hf_|gh[oprsu]_|github_pat_|sk-|xox[abprs]-|AKIA)[A-Za-z0-9_-]{6,}/g,
  /\b(Bearer|Basic) +[A-Za-z0-9+/._~=-]{8,}/gi,
];

/** The forms in which a secret turns up again: plain, in a URL, in JSON, in base64. */
function formsOf(secret: string): readonly string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const base64 = Buffer.from(secret, 'utf8').toString('base64').replace(/=+$/, '');
  return [...new Set([secret, encodeURIComponent(secret), json, base64])];
}

export type Redact = (text: string) => string;

/** Gives a function that replaces every known secret, in any of its usual forms, by `[secret]`. */
export function redactor(secrets: readonly string[]): Redact {
  const forms = secrets
    .filter((secret) => secret.length >= LEAST_LENGTH)
    .flatMap(formsOf)
    // The longest first, or a secret that contains another would leave its tail behind.
    .sort((left, right) => right.length - left.length);
  return (text) => {
    const known = forms.reduce((rest, form) => rest.replaceAll(form, HIDDEN), text);
    return TOKEN_SHAPES.reduce((rest, shape) => rest.replace(shape, HIDDEN), known);
  };
}
