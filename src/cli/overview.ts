/** The words of help that every verb shares. */

export const OVERVIEW = `Lets many jobs share one RunPod account without losing, orphaning or killing
each other's GPU pods, and ends idle, expired or abandoned ones by itself.

  podtrack register <pod-id> --remote-path /workspace/results --kill-in 120
  podtrack list --mine
  podtrack reap --dry-run

Settings: flag > PODTRACK_* > .github/podtrack.yml > profile > default; an empty
value counts as not given. podtrack config prints each with where it came from.
Secrets are never flags: RUNPOD_API_KEY or ~/.config/podtrack/runpod.key (0600),
PODTRACK_SSH_KEY (a path or the key itself) or --ssh-key FILE.`;

export const EXIT_CODES = `Exit codes:
  0  done, or a dry run
  1  something may bill, is unverified or unknown
  2  wrong use or configuration; nothing was changed
  3  refused by a safety gate
  4  the outside world failed, and no live pod of ours is concerned
  130, 143  ended by SIGINT or SIGTERM`;
