# Keeps the watchdog alive, and is kept alive by it. Arguments: their folder in memory.

. ./parts/ground.sh
. ./parts/memory.sh
. ./parts/heartbeat.sh
. ./parts/limits.sh
. ./parts/pair.sh

settle_in
ram=$1 role=supervisor
read_conf || exit 1
trap '' HUP
take_seat
cd / || :
while on_duty; do
  clock
  beat
  mind watchdog
  rest_a_tick
done
