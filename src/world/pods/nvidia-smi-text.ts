/** The text of the pod's nvidia-smi: POSIX sh that reads the state files written by the world. */

export const NVIDIA_SMI_TEXT = String.raw`#!/bin/sh
# nvidia-smi of a pod in podtrack's embedded world; the files beside it script what it says.
state="$(dirname "$0")/../lib/podtrack-world/gpu"
if [ -f "$state/fault" ]; then . "$state/fault"; fi

now_ms() {
  if read -r up rest </proc/uptime 2>/dev/null; then printf '%s\n' "$(printf '%s' "$up" | tr -d .)0"
  else printf '%s\n' "$(date +%s)000"; fi
}
# The n-th of the words that follow (from 0).
nth() { shift "$1"; printf '%s\n' "$2"; }
after_equals() { printf '%s' "$1" | cut -d= -f2-; }

read -r start <"$state/start"
elapsed=$(($(now_ms) - start))
util=0 used=0
while read -r after step_util step_used; do
  if [ "$after" -le "$elapsed" ]; then util=$step_util used=$step_used; fi
done <"$state/steps"
read -r cycle <"$state/cycle"
if [ -n "$cycle" ]; then
  turn=$(cat "$state/turn" 2>/dev/null) || turn=0
  printf '%s\n' $((turn + 1)) >"$state/turn"
  words=$(printf '%s\n' "$cycle" | wc -w)
  util=$(nth $((turn % words)) $cycle)
fi
read -r said <"$state/said"
count=0
while IFS='|' read -r index uuid name total; do count=$((count + 1)); done <"$state/cards"

query='' format='' list='' only=''
while [ $# -gt 0 ]; do
  case $1 in
    --query-gpu=*) query=$(after_equals "$1") ;;
    --format=*) format=$(after_equals "$1") ;;
    --id=*) only=$(after_equals "$1") ;;
    -i) only=$2; shift ;;
    -L | --list-gpus) list=1 ;;
    --query-compute-apps=*) exit 0 ;;
    *) printf 'Invalid combination of input arguments. Please run nvidia-smi -h for help.\n'; exit 2 ;;
  esac
  shift
done

unit() { case ",$format," in *,nounits,*) printf '%s' "$1" ;; *) printf '%s %s' "$1" "$2" ;; esac; }
field() {
  case $1 in
    index) printf '%s' "$index" ;;
    uuid | gpu_uuid) printf '%s' "$uuid" ;;
    name | gpu_name) printf '%s' "$name" ;;
    count) printf '%s' "$count" ;;
    driver_version) printf '570.124.06' ;;
    utilization.gpu) if [ -n "$said" ]; then printf '%s' "$said"; else unit "$util" %; fi ;;
    utilization.memory) if [ -n "$said" ]; then printf '%s' "$said"; else unit $((100 * used / total)) %; fi ;;
    memory.used) unit "$used" MiB ;;
    memory.free) unit $((total - used)) MiB ;;
    memory.total) unit "$total" MiB ;;
    *) printf '[N/A]' ;;
  esac
}
row() {
  gap='' IFS=', '
  for one in $query; do printf '%s' "$gap"; field "$one"; gap=', '; done
  unset IFS
  printf '\n'
}

if [ -n "$query" ]; then
  case ",$format," in *,csv,*) ;; *) printf '"--format=" switch is missing. Please run nvidia-smi -h for help.\n'; exit 2 ;; esac
  case ",$format," in *,noheader,*) ;; *) printf '%s\n' "$query" ;; esac
elif [ -z "$list" ]; then
  printf '| NVIDIA-SMI 570.124.06   Driver Version: 570.124.06   CUDA Version: 12.8 |\n'
fi
while IFS='|' read -r index uuid name total; do
  if [ -n "$only" ] && [ "$only" != "$index" ] && [ "$only" != "$uuid" ]; then continue; fi
  if [ -n "$query" ]; then row
  elif [ -n "$list" ]; then
    printf 'GPU %s: %s (UUID: %s)\n' "$index" "$name" "$uuid"
  else
    shown=$said
    if [ -z "$shown" ]; then shown=$util%; fi
    printf '|   %s  %s   On |\n' "$index" "$name"
    printf '| 30%%   41C    P2    92W / 450W | %6sMiB / %6sMiB | %7s      Default |\n' "$used" "$total" "$shown"
  fi
done <"$state/cards"
`;
