# The ground under every on-pod script: plain printing, whole numbers, the clock that nobody sets, and process identity.
# Answers are left in the variables that the comments name, so that a tick of the watchdog starts no program but its sleep.

root=${PODTRACK_ROOT:-}
newline='
'
# 31 days. What lies beyond is not a deadline but a mistake.
longest_span=2678400

# What this process writes is for its user alone, no locale changes what a digit is, and no option that the login exported
# (SHELLOPTS of bash) ends it, keeps it from writing over a file or traces a key.
settle_in() {
  set +e +u +f +x +v +C
  umask 077
  LC_ALL=C
  export LC_ALL
}

# raw TEXT: prints TEXT unchanged. Not by `echo`, whose escapes differ from shell to shell; and in mksh not by `printf`,
# which is a program there: everybody on the pod may read the arguments of a program.
if [ -n "${KSH_VERSION:-}" ] && [ "$(command -v print)" = print ]; then
  raw() { print -r -- "$1"; }
else
  raw() { printf '%s\n' "$1"; }
fi

# whole TEXT: is TEXT a whole number below 10^9? Leaves it in `number` without leading zeros, which would make it octal.
whole() {
  number=$1
  case $number in '' | *[!0-9]*) return 1 ;; esac
  while :; do
    case $number in
      0?*) number=${number#0} ;;
      *) break ;;
    esac
  done
  [ "${#number}" -le 9 ]
}

# span TEXT: is TEXT a number of seconds that a deadline may lie ahead? Leaves it in `number`.
span() { whole "$1" && [ "$number" -le "$longest_span" ]; }

# clock: seconds since the machine started, in `now`. The wall clock of a pod may be hours off and may jump; this one cannot.
clock() {
  for clock_file in "$root/proc/uptime" /proc/uptime; do
    { read -r now clock_rest <"$clock_file"; } 2>/dev/null || continue
    whole "${now%%.*}" || continue
    now=$number
    return 0
  done
  now=''
  return 1
}

# identity PID: leaves when the process started (`born`, in ticks) and its state letter (`gait`); fails when it is gone.
# A pid alone is not an identity: it is given away again.
identity() {
  born='' gait=''
  whole "$1" || return 1
  for stat_file in "$root/proc/$1/stat" "/proc/$1/stat"; do
    { read -r stat_line <"$stat_file"; } 2>/dev/null || continue
    # The second field is the program's name in brackets and may hold anything, so count from the last bracket.
    # shellcheck disable=SC2086 # splitting is what is wanted
    set -- ${stat_line##*) }
    [ "$#" -ge 20 ] || continue
    gait=$1
    born=${20}
    return 0
  done
  return 1
}

# living PID BORN: does exactly this process still run? A zombie does not.
living() {
  identity "$1" && [ "$born" = "$2" ] || return 1
  case $gait in Z | X | x) return 1 ;; esac
}

# A short pause; whole seconds where `sleep` knows no fractions.
pause() { sleep 0.1 2>/dev/null || sleep 1; }
