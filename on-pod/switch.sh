# The switch as a visitor meets it. Verbs: status, pet, check, mark, record, beat, disarm; install.sh plants it.

. ./parts/ground.sh
. ./parts/memory.sh
. ./parts/heartbeat.sh
. ./parts/limits.sh
. ./parts/pair.sh
. ./parts/api.sh
. ./parts/status.sh
. ./parts/visit.sh

settle_in
verb=${1:-status}
[ "$#" -eq 0 ] || shift
words "$@"
case $verb in
  status) say_status ;;
  pet) pet ;;
  check) check ;;
  mark) if find_ram; then say_mark; else say reason not-installed && exit 1; fi ;;
  record) if find_ram; then tail -n 40 "$ram/record" 2>/dev/null | cut -c 1-400 | sed 's/^/record| /'; fi ;;
  beat) beat_for_job ;;
  disarm) disarm ;;
  *) refuse unknown-verb ;;
esac
