/** What the mirror runs on a pod: POSIX sh that asks for find, xargs, tar and any SHA-256 tool, GNU's or BusyBox's. */

/** Sets `root` and `start` from the first argument. A leading `/` stands below PODTRACK_ROOT, everything else below HOME. */
const ROOT = `
LC_ALL=C; export LC_ALL
case $1 in
  /*) root=\${PODTRACK_ROOT:-}$1 ;;
  "~") root=$HOME ;;
  "~/"*) root=$HOME/\${1#"~/"} ;;
  *) root=$HOME/$1 ;;
esac
start=.
if [ -f "$root" ]; then
  start=./\${root##*/}
  root=\${root%/*}
  [ -n "$root" ] || root=/
fi
`;

/** One batch of files before any of them is read: names and sizes. A batch that cannot be told waits for the list. */
const ANNOUNCE = `
sizes=$(stat -c "%s %b %B" "$@" 2>/dev/null) || exit 0
printf "A\\0%s\\0" $#
printf "%s\\0" "$@" "$sizes"
`;

/**
 * One batch of files: their names, then "size blocks blocksize" per line, then a digest per line. Where a tool fails
 * (a file vanished, cannot be read) or a newline in a name may break its lines, each file is asked alone.
 * A file that is mostly holes is not read: hashing a terabyte of nothing takes an hour.
 */
const FILES = `
nl="
"
if [ -n "\${KSH_VERSION:-}" ]; then raw() { print -rn -- "$1"; }; else raw() { printf %s "$1"; }; fi
set -f
hollow() { [ "$1" -gt "$PT_HOLLOW" ] && [ "$(($2 * $3 * 4))" -lt "$1" ]; }
hashes=
plain=
sizes=$(stat -c "%s %b %B" "$@" 2>/dev/null) && plain=1
case $* in *"$nl"*) plain= ;; esac
case $sizes in *$PT_LONG*)
  IFS=$nl
  for line in $sizes; do
    rest=\${line#* }
    hollow "\${line%% *}" "\${rest% *}" "\${rest#* }" && plain=
  done ;;
esac
IFS=" "
if [ -n "$plain" ]; then hashes=$($PT_HASH "$@" 2>/dev/null) || plain=; fi
if [ -z "$plain" ]; then
  sizes=
  hashes=
  for file do
    size=$(stat -c "%s %b %B" "$file" 2>/dev/null)
    if [ -z "$size" ]; then
      size=$({ wc -c <"$file"; } 2>/dev/null)
      if [ -n "$size" ]; then size="$(($size)) - -"; else size="- - -"; fi
    fi
    hash=-
    rest=\${size#* }
    if [ "\${rest#* }" != - ] && hollow "\${size%% *}" "\${rest% *}" "\${rest#* }"; then
      hash=hollow
    elif [ "$size" != "- - -" ]; then
      hash=$({ $PT_HASH <"$file"; } 2>/dev/null)
      hash=\${hash%% *}
      [ -n "$hash" ] || hash=-
    fi
    if [ "$hash" = - ] && [ ! -e "$file" ]; then hash=gone; fi
    sizes=$sizes$size$nl
    hashes=$hashes$hash$nl
  done
fi
printf "B\\0%s\\0" $#
printf "%s\\0" "$@"
raw "$sizes"; printf "\\0"
raw "$hashes"; printf "\\0"
`;

const LINKS = `
nl="
"
for link do
  to=$(readlink "$link" 2>/dev/null; echo x)
  to=\${to%x}
  to=\${to%"$nl"}
  printf "L\\0%s\\0%s\\0" "$link" "$to"
done
`;

const OTHERS = 'printf "O\\0%s\\0" "$@"';

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** For images with Python and without a digest tool: digests of the named files, or of stdin. A missing file ends it early. */
const PYTHON_DIGEST = `import sys,hashlib
def digest(source):
    h=hashlib.sha256()
    for block in iter(lambda:source.read(1048576),b""): h.update(block)
    print(h.hexdigest()+"  -")
for name in sys.argv[1:]: digest(open(name,"rb"))
if not sys.argv[1:]: digest(getattr(sys.stdin,"buffer",sys.stdin))
`;
/** Stands in a variable that is split at blanks, so the program itself comes by the environment. */
const BY_PYTHON = "-c exec(__import__('os').environ['PT_CODE'])";

/**
 * Arguments: the artifact root; bytes above which a file of holes is not read; anything = announce what will be listed
 * before reading it. Output: records of NUL-ended fields. OpenSSL is asked first: it alone uses the SHA-256 of the CPU.
 */
export const LIST_SCRIPT = `${ROOT}
PT_HOLLOW=$2
PT_CODE=${quoted(PYTHON_DIGEST)}
export PT_CODE
PT_HASH=
lacking=
for tool in find xargs tar; do
  command -v $tool >/dev/null 2>&1 || lacking="$lacking $tool"
done
for tool in "openssl dgst -sha256 -r" "sha256sum" "busybox sha256sum" "shasum -a 256" "sha256 -r" \\
  "python3 ${BY_PYTHON}" "python ${BY_PYTHON}"; do
  case $($tool /dev/null 2>/dev/null) in
    e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855*) PT_HASH=$tool; break ;;
  esac
done
[ -n "$PT_HASH" ] || lacking="$lacking sha256sum"
if [ -n "$lacking" ]; then printf "X\\0lacking\\0%s\\0" "\${lacking# }"; exit 0; fi
if [ ! -e "$root" ]; then printf "X\\0absent\\0%s\\0" "$root"; exit 0; fi
cd "$root" 2>/dev/null || { printf "X\\0closed\\0%s\\0" "$root"; exit 0; }
# As many digits as a file must have that may be too long.
PT_LONG=
left=$PT_HOLLOW
while [ -n "$left" ]; do PT_LONG="$PT_LONG[0-9]"; left=\${left#?}; done
export PT_HASH PT_HOLLOW PT_LONG
if [ -n "\${3:-}" ] && stat -c %s / >/dev/null 2>&1; then
  find "$start" -type f -exec sh -c ${quoted(ANNOUNCE)} podtrack {} + 2>/dev/null
  printf "N\\0"
fi
find "$start" -type f -exec sh -c ${quoted(FILES)} podtrack {} + \\
  -o -type l -exec sh -c ${quoted(LINKS)} podtrack {} + \\
  -o ! -type d -exec sh -c ${quoted(OTHERS)} podtrack {} +
printf "E\\0%s\\0" $?
`;

const TAR_FLAGS = `
flags=
for flag in --no-recursion --no-unquote --format=gnu; do
  tar $flag -cf /dev/null /dev/null >/dev/null 2>&1 && flags="$flags $flag"
done
cd "$root" || exit 4
`;

/** Argument: the artifact root. Output: all that is there, as tar archives, whatever it is by then. */
export const WHOLE_SCRIPT = `${ROOT}${TAR_FLAGS}
find "$start" -type f -exec tar $flags -cf - {} +
`;

/**
 * Argument: the artifact root. stdin: NUL-ended names. Output: tar archives, one after the other.
 * GNU's tar reads a backslash in a name as an escape unless told otherwise; BusyBox's knows neither the option nor the habit.
 */
export const TAR_SCRIPT = `${ROOT}${TAR_FLAGS}
xargs -0 tar $flags -cf -
`;
