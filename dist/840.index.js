export const id=840;export const ids=[840];export const modules={58840:((__unused_webpack___webpack_module__,__webpack_exports__,__webpack_require__)=>{__webpack_require__.r(__webpack_exports__);__webpack_require__.d(__webpack_exports__,{onPodText:()=>onPodText});const onPodText={evidence:`# podtrack evidence, whole; see on-pod/ for the sources
`+`root=\${PODTRACK_ROOT:-}
`+`newline='
`+`'
`+`longest_span=2678400
`+`
`+`settle_in() {
`+`  set +e +u +f +x +v +C
`+`  umask 077
`+`  LC_ALL=C
`+`  export LC_ALL
`+`}
`+`
`+`if [ -n "\${KSH_VERSION:-}" ] && [ "$(command -v print)" = print ]; then
`+`  raw() { print -r -- "$1"; }
`+`else
`+`  raw() { printf '%s\\n' "$1"; }
`+`fi
`+`
`+`whole() {
`+`  number=$1
`+`  case $number in '' | *[!0-9]*) return 1 ;; esac
`+`  while :; do
`+`    case $number in
`+`      0?*) number=\${number#0} ;;
`+`      *) break ;;
`+`    esac
`+`  done
`+`  [ "\${#number}" -le 9 ]
`+`}
`+`
`+`span() { whole "$1" && [ "$number" -le "$longest_span" ]; }
`+`
`+`clock() {
`+`  for clock_file in "$root/proc/uptime" /proc/uptime; do
`+`    { read -r now clock_rest <"$clock_file"; } 2>/dev/null || continue
`+`    whole "\${now%%.*}" || continue
`+`    now=$number
`+`    return 0
`+`  done
`+`  now=''
`+`  return 1
`+`}
`+`
`+`identity() {
`+`  born='' gait=''
`+`  whole "$1" || return 1
`+`  for stat_file in "$root/proc/$1/stat" "/proc/$1/stat"; do
`+`    { read -r stat_line <"$stat_file"; } 2>/dev/null || continue
`+`    set -- \${stat_line##*) }
`+`    [ "$#" -ge 20 ] || continue
`+`    gait=$1
`+`    born=\${20}
`+`    return 0
`+`  done
`+`  return 1
`+`}
`+`
`+`living() {
`+`  identity "$1" && [ "$born" = "$2" ] || return 1
`+`  case $gait in Z | X | x) return 1 ;; esac
`+`}
`+`
`+`pause() { sleep 0.1 2>/dev/null || sleep 1; }
`+`memory_places='/dev/shm /run /tmp'
`+`
`+`in_memory() {
`+`  why_not=not-mounted mount_options=''
`+`  mount_table=$root/proc/mounts
`+`  [ -r "$mount_table" ] || mount_table=/proc/mounts
`+`  while read -r mount_source mount_place mount_kind mount_options mount_rest; do
`+`    [ "$mount_place" = "$1" ] || continue
`+`    case $mount_kind in tmpfs | ramfs) why_not='' ;; *) why_not=not-memory ;; esac
`+`    case ",$mount_options," in *,ro,*) why_not=read-only ;; esac
`+`  done <"$mount_table"
`+`  [ -z "$why_not" ]
`+`}
`+`
`+`own() { [ -d "$1" ] && [ ! -h "$1" ] && [ -O "$1" ]; }
`+`
`+`find_ram() {
`+`  ram=''
`+`  for place in $memory_places; do
`+`    [ -f "$root$place/podtrack/mark" ] || continue
`+`    own "$root$place/podtrack" || continue
`+`    ram=$root$place/podtrack
`+`    return 0
`+`  done
`+`  return 1
`+`}
`+`
`+`open_ram() {
`+`  ram=''
`+`  in_memory "$1" || return 1
`+`  why_not=not-writable
`+`  mkdir "$root$1/podtrack" 2>/dev/null || [ -d "$root$1/podtrack" ] || return 1
`+`  why_not=not-ours
`+`  own "$root$1/podtrack" || return 1
`+`  chmod 700 "$root$1/podtrack" 2>/dev/null || return 1
`+`  ram=$root$1/podtrack why_not=''
`+`}
`+`
`+`write() {
`+`  { raw "$2" >"$1"; } 2>/dev/null && [ "$(cat "$1" 2>/dev/null)" = "$2" ]
`+`}
`+`
`+`replace() {
`+`  renew "$1" "$2" && return 0
`+`  if [ -f "$1" ] && { raw "$2" 1<>"$1"; } 2>/dev/null; then return 0; fi
`+`  while make_room; do
`+`    renew "$1" "$2" && return 0
`+`  done
`+`  return 1
`+`}
`+`
`+`make_room() {
`+`  for spare in "$ram/reserve" "$ram"/spare.[0-9]; do
`+`    [ -f "$spare" ] && rm -f "$spare" && return 0
`+`  done
`+`  return 1
`+`}
`+`
`+`remember() {
`+`  { true >"$ram/$1"; } 2>/dev/null && return 0
`+`  while make_room; do
`+`    { true >"$ram/$1"; } 2>/dev/null && return 0
`+`  done
`+`  return 1
`+`}
`+`
`+`renew() {
`+`  if write "$1.$$" "$2" && mv -f "$1.$$" "$1" 2>/dev/null; then return 0; fi
`+`  rm -f "$1.$$"
`+`  return 1
`+`}
`+`
`+`shred_files() {
`+`  for shredded in "$@"; do
`+`    [ -f "$shredded" ] || continue
`+`    dd if=/dev/zero of="$shredded" bs=1024 count=1 conv=notrunc 2>/dev/null
`+`    rm -f "$shredded"
`+`  done
`+`}
`+`most_ahead=120
`+`
`+`two() {
`+`  case $1 in [0-9][0-9]) whole "$1" && [ "$number" -le "$2" ] ;; *) return 1 ;; esac
`+`}
`+`
`+`epoch_of() {
`+`  case $1 in
`+`    [0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9][Tt\\ ][0-9][0-9]:[0-9][0-9]:[0-9][0-9]?*) ;;
`+`    *) return 1 ;;
`+`  esac
`+`  zone=\${1#???????????????????}
`+`  case $zone in
`+'    .[0-9]*) zone=${zone#.} zone=${zone#"${zone%%[!0-9]*}"} ;;\n'+`  esac
`+`  field=$1
`+'  whole "${field%%-*}" && year=$number && field=${field#*-} || return 1\n'+`  [ "$year" -ge 1970 ] && [ "$year" -le 2100 ] || return 1
`+'  two "${field%%-*}" 12 && month=$number && field=${field#*-} || return 1\n'+'  two "${field%"${field#??}"}" 31 && day=$number && field=${field#???} || return 1\n'+`  [ "$month" -ge 1 ] && [ "$day" -ge 1 ] || return 1
`+`  case $month in
`+`    2) if [ $((year % 4)) -eq 0 ] && { [ $((year % 100)) -ne 0 ] || [ $((year % 400)) -eq 0 ]; }; then last=29; else last=28; fi ;;
`+`    4 | 6 | 9 | 11) last=30 ;;
`+`    *) last=31 ;;
`+`  esac
`+`  [ "$day" -le "$last" ] || return 1
`+'  two "${field%%:*}" 23 && hour=$number && field=${field#*:} || return 1\n'+'  two "${field%%:*}" 59 && minute=$number && field=${field#*:} || return 1\n'+'  two "${field%"${field#??}"}" 60 && second=$number || return 1\n'+`  zone_seconds "$zone" || return 1
`+`  if [ "$month" -le 2 ]; then year=$((year - 1)) month=$((month + 12)); fi
`+`  days=$((365 * year + year / 4 - year / 100 + year / 400 + (153 * (month - 3) + 2) / 5 + day - 1 - 719468))
`+`  epoch=$((days * 86400 + hour * 3600 + minute * 60 + second - east))
`+`}
`+`
`+`zone_seconds() {
`+`  east=0
`+`  case $1 in
`+`    Z | z) return 0 ;;
`+`    [+-][0-9][0-9]:[0-9][0-9] | [+-][0-9][0-9][0-9][0-9]) ;;
`+`    *) return 1 ;;
`+`  esac
`+`  zone_digits=\${1#?}
`+'  two "${zone_digits%"${zone_digits#??}"}" 23 && east=$((number * 3600)) || return 1\n'+'  two "${zone_digits#"${zone_digits%??}"}" 59 && east=$((east + number * 60)) || return 1\n'+`  case $1 in -*) east=$((0 - east)) ;; esac
`+`}
`+`
`+`moment() {
`+`  case $1 in '' | 0?* | *[!0-9]* | [5-9]????????? | ???????????*) return 1 ;; esac
`+`}
`+`
`+`wall_clock() {
`+`  wall=$(date +%s 2>/dev/null)
`+`  moment "$wall" || { wall='' && return 1; }
`+`}
`+`
`+`modified() {
`+`  mtime=$(stat -L -c %Y "$1" 2>/dev/null) || mtime=$(date -r "$1" +%s 2>/dev/null) || mtime=''
`+`  moment "$mtime" || { mtime='' && return 1; }
`+`}
`+`
`+`first_words() {
`+`  words=''
`+`  [ -f "$1" ] && words=$(dd if="$1" bs=64 count=1 2>/dev/null | tr '\\n' '#' | tr -cd '0-9TtZz:.+ #-')
`+`  words=\${words%%#*}
`+'  words=${words#"${words%%[! ]*}"} words=${words%"${words##*[! ]}"}\n'+`}
`+`
`+`heartbeat_age() {
`+`  age=''
`+`  [ -f "$1" ] && wall_clock || return 1
`+`  first_words "$1"
`+`  if epoch_of "$words"; then believe "$((wall - epoch))"; fi
`+`  if modified "$1"; then believe "$((wall - mtime))"; fi
`+`  [ -n "$age" ]
`+`}
`+`
`+`believe() {
`+`  [ "$1" -ge "-$most_ahead" ] || return 0
`+`  if [ -z "$age" ] || [ "$1" -lt "$age" ]; then age=$1; fi
`+`  [ "$age" -ge 0 ] || age=0
`+`}
`+`read_conf() {
`+`  pod_id='' rest='' graphql='' heartbeat_file='' key_source='' ca=''
`+`  pull_margin='' pet_min='' hb_grace='' tick='' backoff_first='' backoff_last='' stuck_after=''
`+`  [ -r "$ram/conf" ] || return 1
`+`  while read -r conf_line; do
`+`    conf_value=\${conf_line#*=}
`+`    case \${conf_line%%=*} in
`+`      pod_id) pod_id=$conf_value ;;
`+`      rest) rest=$conf_value ;;
`+`      graphql) graphql=$conf_value ;;
`+`      heartbeat_file) heartbeat_file=$conf_value ;;
`+`      key_source) key_source=$conf_value ;;
`+`      ca) ca=$conf_value ;;
`+`      pull_margin) span "$conf_value" && pull_margin=$number ;;
`+`      pet_min) span "$conf_value" && pet_min=$number ;;
`+`      hb_grace) span "$conf_value" && hb_grace=$number ;;
`+`      tick) span "$conf_value" && tick=$number ;;
`+`      backoff_first) span "$conf_value" && backoff_first=$number ;;
`+`      backoff_last) span "$conf_value" && backoff_last=$number ;;
`+`      stuck_after) span "$conf_value" && stuck_after=$number ;;
`+`    esac
`+`  done <"$ram/conf"
`+`  for conf_value in "$pod_id" "$rest" "$graphql" "$pull_margin" "$pet_min" "$hb_grace" \\
`+`    "$tick" "$backoff_first" "$backoff_last" "$stuck_after"; do
`+`    [ -n "$conf_value" ] || return 1
`+`  done
`+`  [ "$tick" -ge 1 ]
`+`}
`+`
`+`write_deadline() {
`+`  clock || return 1
`+`  revision=$now-$$
`+`  replace "$ram/deadline" "$((now + $1)) $((now + $2)) $((now + $3)) $4 $5 $now $revision ."
`+`}
`+`
`+`read_deadline() {
`+`  { read -r d_stop d_owner d_absolute d_allowed d_window d_set d_revision d_end <"$ram/deadline"; } 2>/dev/null || return 1
`+`  [ "$d_end" = . ] || return 1
`+`  for d_number in "$d_stop" "$d_owner" "$d_absolute" "$d_allowed" "$d_window" "$d_set"; do
`+`    whole "$d_number" && [ "$number" = "$d_number" ] || return 1
`+`  done
`+`  [ "$d_stop" -le $((d_set + longest_span)) ] && [ "$d_absolute" -le $((d_set + longest_span)) ] || return 1
`+`  set_stop=$d_stop set_owner=$d_owner absolute=$d_absolute allowed=$d_allowed window=$d_window set_at=$d_set
`+`  revision=$d_revision
`+`}
`+`
`+`read_limits() {
`+`  read_deadline || return 1
`+`  granted=0
`+`  if { read -r g_revision g_count g_end <"$ram/grant"; } 2>/dev/null && [ "$g_revision $g_end" = "$revision ." ]; then
`+`    whole "$g_count" && [ "$number" -le "$allowed" ] && granted=$number
`+`  fi
`+`  owner=$((set_owner + granted * pet_min)) stop=$set_stop
`+`  if [ "$granted" -gt 0 ] && [ "$((owner + pull_margin))" -gt "$stop" ]; then stop=$((owner + pull_margin)); fi
`+`  if [ "$owner" -gt "$absolute" ]; then owner=$absolute; fi
`+`  if [ "$stop" -gt "$absolute" ]; then stop=$absolute; fi
`+`}
`+`
`+`extend_if_alive() {
`+`  while [ "$now" -ge "$owner" ] && [ "$granted" -lt "$allowed" ] && [ "$owner" -lt "$absolute" ]; do
`+`    heartbeat_age "$heartbeat_file" && [ "$age" -le "$hb_grace" ] || return 0
`+`    replace "$ram/grant" "$revision $((granted + 1)) ." || return 0
`+`    read_limits || return 0
`+`    note "extended $granted of $allowed: heartbeat $age s old, stops in $((stop - now)) s"
`+`  done
`+`}
`+`
`+`note() {
`+`  wall_clock
`+'  { raw "${wall:-?} ${now:-?} $1" >>"$ram/record"; } 2>/dev/null\n'+`  noted=$((\${noted:-0} + 1))
`+`  [ $((noted % 50)) -eq 0 ] || return 0
`+`  { tail -n 200 "$ram/record" >"$ram/record.$$" && mv -f "$ram/record.$$" "$ram/record"; } 2>/dev/null
`+`}
`+`seated() {
`+`  { read -r seat_pid seat_born seat_rest <"$ram/$1.pid"; } 2>/dev/null && living "$seat_pid" "$seat_born"
`+`}
`+`
`+`take_seat() {
`+`  if [ -e "$ram/off" ] || [ -e "$ram/gone" ] || seated "$role"; then exit 0; fi
`+`  identity "$$" || exit 1
`+`  own_seat="$$ $born"
`+`  replace "$ram/$role.pid" "$own_seat" || exit 1
`+`  { echo -900 >"/proc/$$/oom_score_adj"; } 2>/dev/null
`+`  turn=0 still=0 turn_before=''
`+`}
`+`
`+`on_duty() {
`+`  if [ -e "$ram/off" ] || [ -e "$ram/gone" ]; then return 1; fi
`+`  { read -r seat_pid seat_born seat_rest <"$ram/$role.pid"; } 2>/dev/null && [ "$seat_pid $seat_born" = "$own_seat" ]
`+`}
`+`
`+`beat() {
`+`  turn=$((turn + 1))
`+`  { raw "$turn \${1:--}" 1<>"$ram/$role.beat"; } 2>/dev/null
`+`}
`+`
`+`mind() {
`+`  if seated "$1"; then
`+`    turn_seen=''
`+`    { read -r turn_seen beat_rest <"$ram/$1.beat"; } 2>/dev/null
`+`    if [ -z "$turn_seen" ] || [ "$turn_seen" != "$turn_before" ]; then still=0; else still=$((still + tick)); fi
`+`    turn_before=$turn_seen
`+`    [ "$still" -ge "$stuck_after" ] || return 0
`+`    note "$1 does not turn any more: killed"
`+`    kill -KILL "$seat_pid" 2>/dev/null
`+`  else
`+`    note "$1 is gone: started again"
`+`  fi
`+`  still=0
`+`  start "$1"
`+`}
`+`
`+`start() {
`+`  if command -v setsid >/dev/null 2>&1; then
`+`    setsid sh "$ram/$1" "$ram" </dev/null >/dev/null 2>&1 &
`+`  else
`+`    (trap '' HUP INT QUIT && exec sh "$ram/$1" "$ram") </dev/null >/dev/null 2>&1 &
`+`  fi
`+`}
`+`
`+`rest_a_tick() {
`+`  sleep "$tick" &
`+`  wait "$!"
`+`}
`+`agent=podtrack-switch/1
`+`
`+`find_tool() {
`+`  if curl --version >/dev/null 2>&1; then
`+`    tool=curl
`+`  else
`+`    case $(wget --version 2>/dev/null) in
`+`      'GNU Wget'*) tool=wget ;;
`+`      *)
`+`        if python3 -I -c 'import http.client, ssl' >/dev/null 2>&1; then
`+`          tool=python3
`+`        elif command -v runpodctl >/dev/null 2>&1; then
`+`          tool=runpodctl
`+`        else
`+`          tool=none
`+`        fi
`+`        ;;
`+`    esac
`+`  fi
`+`}
`+`
`+`ca_places="$root/etc/ssl/certs/ca-certificates.crt $root/etc/pki/tls/certs/ca-bundle.crt $root/etc/ssl/ca-bundle.pem \\
`+`$root/etc/ssl/cert.pem $root/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem $root/usr/lib/ssl/cert.pem \\
`+`$root/opt/conda/ssl/cacert.pem $root/usr/local/lib/python3*/*-packages/certifi/cacert.pem \\
`+`$root/usr/lib/python3*/*-packages/certifi/cacert.pem $root/opt/*/lib/python3*/site-packages/certifi/cacert.pem"
`+`ca='' slow_down=0
`+`
`+`http() {
`+`  ask_once "$@"
`+`  [ "$word" = tls-failed ] || return 0
`+`  ca_before=$ca
`+`  for ca_place in '' $ca_places; do
`+`    [ "$ca_place" != "$ca_before" ] || continue
`+`    [ -z "$ca_place" ] || [ -s "$ca_place" ] || continue
`+`    ca=$ca_place
`+`    ask_once "$@"
`+`    [ "$word" = tls-failed ] || return 0
`+`  done
`+`  ca=$ca_before
`+`}
`+`
`+`ask_once() {
`+`  code='' media='' flat='' word=no-answer retry_after=''
`+`  case $tool in
`+`    curl) answer=$(ask_by_curl "$@" | cut_short) ;;
`+`    wget) answer=$(ask_by_wget "$@" | cut_short) ;;
`+`    python3) answer=$(ask_by_python "$@" | cut_short) ;;
`+`    *) word=no-tool && return 0 ;;
`+`  esac
`+`  split_answer
`+`  name_answer
`+`  case $word in
`+`    429 | 503) if span "$retry_after" && [ "$number" -gt "$slow_down" ]; then slow_down=$number; fi ;;
`+`  esac
`+`}
`+`
`+`cut_short() { head -c 65536 | tr -d '\\000\\r'; }
`+`
`+`ask_by_curl() {
`+`  method=$1 url=$2 key=$3
`+`  shift 3
`+`  [ "$#" -eq 0 ] || set -- -H 'Content-Type: application/json' -d "$1"
`+`  [ -z "$ca" ] || set -- --cacert "$ca" "$@"
`+`  raw "header = \\"Authorization: Bearer $key\\"" |
`+`    curl -q -sS -i -m 20 --connect-timeout 10 -A "$agent" -H 'Accept: application/json' -X "$method" "$@" -K - "$url" 2>/dev/null
`+`  raw "\${newline}exit $?"
`+`}
`+`
`+`ask_by_wget() {
`+`  method=$1 url=$2 key=$3
`+`  shift 3
`+`  [ "$#" -eq 0 ] || set -- '--header=Content-Type: application/json' "--body-data=$1"
`+`  [ -z "$ca" ] || set -- "--ca-certificate=$ca" "$@"
`+`  wgetrc=$ram/wgetrc wgetrc_line=''
`+`  { read -r wgetrc_line <"$wgetrc"; } 2>/dev/null
`+`  if [ "$wgetrc_line" != "header = Authorization: Bearer $key" ]; then
`+`    wgetrc=$ram/wgetrc.$$
`+`    write "$wgetrc" "header = Authorization: Bearer $key" || { rm -f "$wgetrc"; return 0; }
`+`  fi
`+`  wget "--config=$wgetrc" -q --save-headers --content-on-error --tries=1 --timeout=20 --max-redirect=0 \\
`+`    "--user-agent=$agent" --header='Accept: application/json' "--method=$method" "$@" -O - "$url" 2>/dev/null
`+`  wget_exit=$?
`+`  [ "$wgetrc" = "$ram/wgetrc" ] || shred_files "$wgetrc"
`+`  raw "\${newline}exit $wget_exit"
`+`}
`+`
`+`by_python='
`+`import http.client, signal, socket, ssl, sys
`+`from urllib.parse import urlsplit
`+`signal.alarm(25)
`+`method, url, ca, agent, body = sys.argv[1:]
`+`headers = {"Authorization": "Bearer " + sys.stdin.readline().strip(), "Accept": "application/json", "User-Agent": agent}
`+`if body:
`+`    headers["Content-Type"] = "application/json"
`+`try:
`+`    to = urlsplit(url)
`+`    if to.scheme == "https":
`+`        trust = ssl.create_default_context(cafile=ca or None)
`+`        door = http.client.HTTPSConnection(to.hostname, to.port, timeout=20, context=trust)
`+`    else:
`+`        door = http.client.HTTPConnection(to.hostname, to.port, timeout=20)
`+`    door.request(method, to.path, body or None, headers)
`+`    answer = door.getresponse()
`+`    head = ["HTTP/1.1 %d -" % answer.status] + ["%s: %s" % pair for pair in answer.getheaders()]
`+`    sys.stdout.buffer.write(("\\n".join(head) + "\\n\\n").encode("latin-1") + answer.read(65536))
`+`except socket.gaierror:
`+`    sys.exit(6)
`+`except ssl.SSLError:
`+`    sys.exit(60)
`+`except socket.timeout:
`+`    sys.exit(28)
`+`except http.client.HTTPException:
`+`    sys.exit(52)
`+`except OSError:
`+`    sys.exit(7)
`+`'
`+`
`+`ask_by_python() {
`+`  method=$1 url=$2 key=$3
`+`  shift 3
`+`  raw "$key" | python3 -I -c "$by_python" "$method" "$url" "$ca" "$agent" "\${1:-}" 2>/dev/null
`+`  raw "\${newline}exit $?"
`+`}
`+`
`+`split_answer() {
`+`  tool_exit=''
`+`  case $answer in
`+`    *"\${newline}exit "*)
`+'      tool_exit=${answer##*"${newline}exit "}\n'+'      answer=${answer%"${newline}exit "*}\n'+`      ;;
`+`  esac
`+`  head='' body=''
`+`  while :; do
`+`    case $answer in HTTP/*) ;; *) break ;; esac
`+`    head=\${answer%%"$newline$newline"*}
`+`    case $answer in *"$newline$newline"*) body=\${answer#*"$newline$newline"} ;; *) body='' ;; esac
`+`    status_line=\${head%%"$newline"*}
`+`    code=\${status_line#* }
`+`    code=\${code%% *}
`+`    case $status_line in *' 1'[0-9][0-9]* | *onnection\\ established*) code='' answer=$body ;; *) break ;; esac
`+`  done
`+`  if [ "$tool" = wget ] && [ -z "$code" ] && [ "$tool_exit" = 0 ]; then code=204; fi
`+`  while [ -n "$head" ]; do
`+`    header=\${head%%"$newline"*}
`+`    case $header in
`+`      [Cc]ontent-[Tt]ype:*) media=\${header#*:} ;;
`+"      [Rr]etry-[Aa]fter:*) retry_after=${header#*:} retry_after=${retry_after# } ;;\n"+`    esac
`+`    case $head in *"$newline"*) head=\${head#*"$newline"} ;; *) head='' ;; esac
`+`  done
`+`  [ -z "$body" ] || flat=$(raw "$body" | tr -d ' \\t\\n')
`+`}
`+`
`+`name_answer() {
`+`  case $code in
`+`    2[0-9][0-9]) case $media in *html*) word=html ;; *) word=ok ;; esac ;;
`+`    404) if says_absent; then word=absent; else word=404-unclear; fi ;;
`+`    [1-5][0-9][0-9]) word=$code ;;
`+`    *) word_of_exit ;;
`+`  esac
`+`}
`+`
`+`says_absent() {
`+`  case $media in *application/problem+json*) ;; *) return 1 ;; esac
`+`  case $flat in *'"detail":"'[!\\"]*) ;; *) return 1 ;; esac
`+`  detail=\${flat#*'"detail":"'}
`+`  case \${detail%%\\"*} in
`+`    *[Pp]ath* | *[Rr]oute* | *[Ee]ndpoint* | *[Uu][Rr][Ll]* | *[Pp]age*) return 1 ;;
`+`    *ccess* | *ermission* | *enied* | *orbidden* | *uthori[sz]* | *navailable* | *aintenance* | *emporar* | *uspend* | *isabled*) return 1 ;;
`+`    *hasmoved* | *wasmoved*) return 1 ;;
`+`    *[Pp]od* | *[Rr]esource* | [Nn]ot[Ff]ound | [Nn]ot[Ff]ound.) ;;
`+`    *) return 1 ;;
`+`  esac
`+`  case $flat in '{'*'"status":404'[,}]*'}' | '{'*'"status":404}') ;; *) return 1 ;; esac
`+`}
`+`
`+`word_of_exit() {
`+`  case $tool-$tool_exit in
`+`    curl-6 | python3-6) word=no-such-host ;;
`+`    curl-7 | wget-4 | python3-7) word=no-connection ;;
`+`    curl-28 | python3-28 | python3-142) word=timed-out ;;
`+`    curl-35 | curl-5[189] | curl-60 | curl-66 | curl-77 | curl-83 | wget-5 | python3-60) word=tls-failed ;;
`+`    *) word=no-answer-$tool_exit ;;
`+`  esac
`+`}
`+`
`+`graphql() {
`+`  http POST "$graphql" "$1" "$2"
`+`  [ "$code" = 200 ] || return 0
`+`  case $media in *json*) ;; *) word=not-json && return 0 ;; esac
`+`  case $flat in
`+`    *'"errors"'*[Uu]nauthorized*) word=unauthorized ;;
`+`    *'"errors"'*POD_NOT_FOUND* | *'"errors"'*notfound*) word=not-found ;;
`+`    *'"errors"'*) word=errors ;;
`+`    '{"data":{'*'}}') word=ok ;;
`+`    *) word=odd ;;
`+`  esac
`+`}
`+`
`+`end_request() { raw "{\\"query\\":\\"mutation { podTerminate(input: {podId: \\\\\\"$1\\\\\\"}) }\\"}"; }
`+`read_request() { raw "{\\"query\\":\\"query { pod(input: {podId: \\\\\\"$1\\\\\\"}) { id desiredStatus } }\\"}"; }
`+`
`+`injected_key() {
`+`  key=$({ tr '\\000' '\\n' <"$root/proc/1/environ"; } 2>/dev/null | sed -n 's/^RUNPOD_API_KEY=//p' | head -n 1)
`+`  if ! usable_key "$key"; then
`+`    key=$(sed -n 's/^export RUNPOD_API_KEY="\\{0,1\\}\\([^"]*\\)"\\{0,1\\}$/\\1/p' "$root/etc/rp_environment" 2>/dev/null | head -n 1)
`+`  fi
`+`  usable_key "$key" || { key='' && return 1; }
`+`}
`+`
`+`usable_key() {
`+`  case $1 in '' | *[!A-Za-z0-9._~+/=-]*) return 1 ;; esac
`+'  [ "${#1}" -ge 4 ] && [ "${#1}" -le 512 ]\n'+`}
`+`said_before=''
`+`say() { raw "$said_before$1=$2"; }
`+`
`+`lack() { [ -n "$reason" ] || reason=$1; }
`+`
`+`role_state() {
`+`  state=dead
`+`  if seated "$1"; then
`+`    case $gait in T | t) state=stopped ;; *) state=alive ;; esac
`+`  fi
`+`  [ "$state" = alive ] || lack "$1-$state"
`+`}
`+`
`+`held() {
`+`  value=''
`+`  while read -r mark_line; do
`+`    case $mark_line in "$1="*) value=\${mark_line#*=} ;; esac
`+`  done <"$ram/mark"
`+`}
`+`
`+`say_mark() {
`+`  held podId && say pod_id "$value"
`+`  held registryId && say registry_id "$value"
`+`  held ownerUuid && say owner_uuid "$value"
`+`}
`+`
`+`say_clocks() {
`+`  if wall_clock; then say pod_now "$wall"; fi
`+`  if clock; then say uptime "$now"; fi
`+`}
`+`
`+`say_fired() {
`+`  if { read -r fired_at fired_why fired_rest <"$ram/fired"; } 2>/dev/null; then
`+`    say fired yes
`+`    say fire_reason "$fired_why"
`+`  else
`+`    say fired no
`+`  fi
`+`  if { read -r fire_tries fire_last <"$ram/tries"; } 2>/dev/null; then
`+`    say fire_tries "$fire_tries"
`+`    say fire_last "$fire_last"
`+`  else
`+`    say fire_tries 0
`+`  fi
`+`}
`+`
`+`say_limits() {
`+`  read_limits || { lack deadline-unreadable && return 0; }
`+`  clock || { lack clock-unreadable && return 0; }
`+`  [ "$now" -ge "$set_at" ] || lack clock-went-back
`+`  say stop_in $((stop - now))
`+`  say owner_in $((owner - now))
`+`  say absolute_in $((absolute - now))
`+`  say extensions_left $((allowed - granted))
`+`  say extensions_granted "$granted"
`+`  say pet_window "$window"
`+`  say last_pet_ago $((now - set_at))
`+`  if { read -r beat_turn beat_revision <"$ram/watchdog.beat"; } 2>/dev/null && [ "$beat_revision" = "$revision" ]; then
`+`    say acted yes
`+`  else
`+`    say acted no
`+`  fi
`+`}
`+`
`+`say_status() {
`+`  reason=''
`+`  say_clocks
`+`  if ! find_ram; then
`+`    find_tool
`+`    say http_tool "$tool"
`+`    say armed no
`+`    say reason not-installed
`+`    return 0
`+`  fi
`+`  say place "\${ram#"$root"}"
`+`  say_mark
`+`  if read_conf; then
`+`    say key_source "$key_source"
`+`    say ca "\${ca:-default}"
`+`    say_limits
`+`  else
`+`    lack conf-unreadable
`+`  fi
`+`  role_state watchdog
`+`  say watchdog "$state"
`+`  role_state supervisor
`+`  say supervisor "$state"
`+`  say_fired
`+`  find_tool
`+`  say http_tool "$tool"
`+`  [ "$tool" != none ] || lack no-http-tool
`+`  if [ -s "$ram/credential" ]; then
`+`    say credential present
`+`  else
`+`    say credential absent
`+`    [ "$tool" = runpodctl ] || lack no-credential
`+`  fi
`+`  if [ -e "$ram/gone" ]; then reason=gone-proven; fi
`+`  if [ -z "$reason" ]; then say armed yes; else say armed no && say reason "$reason"; fi
`+`}
`+`open_scratch() {
`+`  for place in /dev/shm /run /tmp; do
`+`    scratch=$root$place/podtrack-look.$$
`+`    mkdir "$scratch" 2>/dev/null && return 0
`+`  done
`+`  return 1
`+`}
`+`
`+`bounded() {
`+`  "$@" </dev/null >"$scratch/out" 2>"$scratch/err" &
`+`  bounded_pid=$!
`+`  clock
`+`  bounded_until=$((now + 10))
`+`  while identity "$bounded_pid" && [ "$gait" != Z ]; do
`+`    if clock && [ "$now" -ge "$bounded_until" ]; then
`+`      kill -KILL "$bounded_pid" 2>/dev/null
`+`      return 1
`+`    fi
`+`    pause
`+`  done
`+`  wait "$bounded_pid"
`+`  bounded_exit=$?
`+`}
`+`
`+`printable() {
`+`  head -c "$2" "$1" 2>/dev/null | tr -cd '\\11\\12\\40-\\176' | sed "s/^/$3| /"
`+`}
`+`
`+`most_processes=400
`+`
`+`say_processes() {
`+`  listed=0
`+`  for process in "$root"/proc/[0-9]*; do
`+`    { read -r stat_line <"$process/stat"; } 2>/dev/null || continue
`+`    if [ "$listed" -eq "$most_processes" ]; then
`+`      raw "process| and more than $most_processes"
`+`      break
`+`    fi
`+`    listed=$((listed + 1))
`+`    process_name=\${stat_line#*"("}
`+`    process_name=\${process_name%)*}
`+`    arguments=$({ raw "$process_name:" && cat "$process/cmdline" 2>/dev/null; } | head -c 300 | tr '\\000\\n\\t' '   ' | tr -cd '\\40-\\176')
`+`    set -- \${stat_line##*) }
`+`    [ "$#" -ge 22 ] || continue
`+'    raw "process| pid=${process##*/} parent=$2 state=$1 started=${20} resident_pages=${22} $arguments"\n'+`  done
`+`  [ "$listed" -gt 0 ] || say process unseen:no-process-list
`+`}
`+`
`+`say_switch() {
`+`  said_before='switch| '
`+`  say_status
`+`  said_before=''
`+`  find_ram || return 0
`+`  { tail -n 200 "$ram/record" 2>/dev/null || cat "$ram/record" 2>/dev/null; } | head -c 32768 | tr -cd '\\11\\12\\40-\\176' | sed 's/^/record| /'
`+`  raw ''
`+`}
`+`
`+`say_smi() {
`+`  if ! command -v nvidia-smi >/dev/null 2>&1; then
`+`    say smi unseen:not-on-the-pod
`+`    return 0
`+`  fi
`+`  open_scratch || { say smi unseen:no-room && return 0; }
`+`  if bounded nvidia-smi; then
`+`    printable "$scratch/out" 32768 smi
`+`    printable "$scratch/err" 4096 smi
`+`    raw ''
`+`    say smi "exit-$bounded_exit"
`+`  else
`+`    say smi unseen:timed-out
`+`  fi
`+`  rm -rf "$scratch"
`+`}
`+`
`+`settle_in
`+`say_processes
`+`say_switch
`+`say_smi
`,install:`# podtrack install, whole; see on-pod/ for the sources
`+`root=\${PODTRACK_ROOT:-}
`+`newline='
`+`'
`+`longest_span=2678400
`+`
`+`settle_in() {
`+`  set +e +u +f +x +v +C
`+`  umask 077
`+`  LC_ALL=C
`+`  export LC_ALL
`+`}
`+`
`+`if [ -n "\${KSH_VERSION:-}" ] && [ "$(command -v print)" = print ]; then
`+`  raw() { print -r -- "$1"; }
`+`else
`+`  raw() { printf '%s\\n' "$1"; }
`+`fi
`+`
`+`whole() {
`+`  number=$1
`+`  case $number in '' | *[!0-9]*) return 1 ;; esac
`+`  while :; do
`+`    case $number in
`+`      0?*) number=\${number#0} ;;
`+`      *) break ;;
`+`    esac
`+`  done
`+`  [ "\${#number}" -le 9 ]
`+`}
`+`
`+`span() { whole "$1" && [ "$number" -le "$longest_span" ]; }
`+`
`+`clock() {
`+`  for clock_file in "$root/proc/uptime" /proc/uptime; do
`+`    { read -r now clock_rest <"$clock_file"; } 2>/dev/null || continue
`+`    whole "\${now%%.*}" || continue
`+`    now=$number
`+`    return 0
`+`  done
`+`  now=''
`+`  return 1
`+`}
`+`
`+`identity() {
`+`  born='' gait=''
`+`  whole "$1" || return 1
`+`  for stat_file in "$root/proc/$1/stat" "/proc/$1/stat"; do
`+`    { read -r stat_line <"$stat_file"; } 2>/dev/null || continue
`+`    set -- \${stat_line##*) }
`+`    [ "$#" -ge 20 ] || continue
`+`    gait=$1
`+`    born=\${20}
`+`    return 0
`+`  done
`+`  return 1
`+`}
`+`
`+`living() {
`+`  identity "$1" && [ "$born" = "$2" ] || return 1
`+`  case $gait in Z | X | x) return 1 ;; esac
`+`}
`+`
`+`pause() { sleep 0.1 2>/dev/null || sleep 1; }
`+`memory_places='/dev/shm /run /tmp'
`+`
`+`in_memory() {
`+`  why_not=not-mounted mount_options=''
`+`  mount_table=$root/proc/mounts
`+`  [ -r "$mount_table" ] || mount_table=/proc/mounts
`+`  while read -r mount_source mount_place mount_kind mount_options mount_rest; do
`+`    [ "$mount_place" = "$1" ] || continue
`+`    case $mount_kind in tmpfs | ramfs) why_not='' ;; *) why_not=not-memory ;; esac
`+`    case ",$mount_options," in *,ro,*) why_not=read-only ;; esac
`+`  done <"$mount_table"
`+`  [ -z "$why_not" ]
`+`}
`+`
`+`own() { [ -d "$1" ] && [ ! -h "$1" ] && [ -O "$1" ]; }
`+`
`+`find_ram() {
`+`  ram=''
`+`  for place in $memory_places; do
`+`    [ -f "$root$place/podtrack/mark" ] || continue
`+`    own "$root$place/podtrack" || continue
`+`    ram=$root$place/podtrack
`+`    return 0
`+`  done
`+`  return 1
`+`}
`+`
`+`open_ram() {
`+`  ram=''
`+`  in_memory "$1" || return 1
`+`  why_not=not-writable
`+`  mkdir "$root$1/podtrack" 2>/dev/null || [ -d "$root$1/podtrack" ] || return 1
`+`  why_not=not-ours
`+`  own "$root$1/podtrack" || return 1
`+`  chmod 700 "$root$1/podtrack" 2>/dev/null || return 1
`+`  ram=$root$1/podtrack why_not=''
`+`}
`+`
`+`write() {
`+`  { raw "$2" >"$1"; } 2>/dev/null && [ "$(cat "$1" 2>/dev/null)" = "$2" ]
`+`}
`+`
`+`replace() {
`+`  renew "$1" "$2" && return 0
`+`  if [ -f "$1" ] && { raw "$2" 1<>"$1"; } 2>/dev/null; then return 0; fi
`+`  while make_room; do
`+`    renew "$1" "$2" && return 0
`+`  done
`+`  return 1
`+`}
`+`
`+`make_room() {
`+`  for spare in "$ram/reserve" "$ram"/spare.[0-9]; do
`+`    [ -f "$spare" ] && rm -f "$spare" && return 0
`+`  done
`+`  return 1
`+`}
`+`
`+`remember() {
`+`  { true >"$ram/$1"; } 2>/dev/null && return 0
`+`  while make_room; do
`+`    { true >"$ram/$1"; } 2>/dev/null && return 0
`+`  done
`+`  return 1
`+`}
`+`
`+`renew() {
`+`  if write "$1.$$" "$2" && mv -f "$1.$$" "$1" 2>/dev/null; then return 0; fi
`+`  rm -f "$1.$$"
`+`  return 1
`+`}
`+`
`+`shred_files() {
`+`  for shredded in "$@"; do
`+`    [ -f "$shredded" ] || continue
`+`    dd if=/dev/zero of="$shredded" bs=1024 count=1 conv=notrunc 2>/dev/null
`+`    rm -f "$shredded"
`+`  done
`+`}
`+`most_ahead=120
`+`
`+`two() {
`+`  case $1 in [0-9][0-9]) whole "$1" && [ "$number" -le "$2" ] ;; *) return 1 ;; esac
`+`}
`+`
`+`epoch_of() {
`+`  case $1 in
`+`    [0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9][Tt\\ ][0-9][0-9]:[0-9][0-9]:[0-9][0-9]?*) ;;
`+`    *) return 1 ;;
`+`  esac
`+`  zone=\${1#???????????????????}
`+`  case $zone in
`+'    .[0-9]*) zone=${zone#.} zone=${zone#"${zone%%[!0-9]*}"} ;;\n'+`  esac
`+`  field=$1
`+'  whole "${field%%-*}" && year=$number && field=${field#*-} || return 1\n'+`  [ "$year" -ge 1970 ] && [ "$year" -le 2100 ] || return 1
`+'  two "${field%%-*}" 12 && month=$number && field=${field#*-} || return 1\n'+'  two "${field%"${field#??}"}" 31 && day=$number && field=${field#???} || return 1\n'+`  [ "$month" -ge 1 ] && [ "$day" -ge 1 ] || return 1
`+`  case $month in
`+`    2) if [ $((year % 4)) -eq 0 ] && { [ $((year % 100)) -ne 0 ] || [ $((year % 400)) -eq 0 ]; }; then last=29; else last=28; fi ;;
`+`    4 | 6 | 9 | 11) last=30 ;;
`+`    *) last=31 ;;
`+`  esac
`+`  [ "$day" -le "$last" ] || return 1
`+'  two "${field%%:*}" 23 && hour=$number && field=${field#*:} || return 1\n'+'  two "${field%%:*}" 59 && minute=$number && field=${field#*:} || return 1\n'+'  two "${field%"${field#??}"}" 60 && second=$number || return 1\n'+`  zone_seconds "$zone" || return 1
`+`  if [ "$month" -le 2 ]; then year=$((year - 1)) month=$((month + 12)); fi
`+`  days=$((365 * year + year / 4 - year / 100 + year / 400 + (153 * (month - 3) + 2) / 5 + day - 1 - 719468))
`+`  epoch=$((days * 86400 + hour * 3600 + minute * 60 + second - east))
`+`}
`+`
`+`zone_seconds() {
`+`  east=0
`+`  case $1 in
`+`    Z | z) return 0 ;;
`+`    [+-][0-9][0-9]:[0-9][0-9] | [+-][0-9][0-9][0-9][0-9]) ;;
`+`    *) return 1 ;;
`+`  esac
`+`  zone_digits=\${1#?}
`+'  two "${zone_digits%"${zone_digits#??}"}" 23 && east=$((number * 3600)) || return 1\n'+'  two "${zone_digits#"${zone_digits%??}"}" 59 && east=$((east + number * 60)) || return 1\n'+`  case $1 in -*) east=$((0 - east)) ;; esac
`+`}
`+`
`+`moment() {
`+`  case $1 in '' | 0?* | *[!0-9]* | [5-9]????????? | ???????????*) return 1 ;; esac
`+`}
`+`
`+`wall_clock() {
`+`  wall=$(date +%s 2>/dev/null)
`+`  moment "$wall" || { wall='' && return 1; }
`+`}
`+`
`+`modified() {
`+`  mtime=$(stat -L -c %Y "$1" 2>/dev/null) || mtime=$(date -r "$1" +%s 2>/dev/null) || mtime=''
`+`  moment "$mtime" || { mtime='' && return 1; }
`+`}
`+`
`+`first_words() {
`+`  words=''
`+`  [ -f "$1" ] && words=$(dd if="$1" bs=64 count=1 2>/dev/null | tr '\\n' '#' | tr -cd '0-9TtZz:.+ #-')
`+`  words=\${words%%#*}
`+'  words=${words#"${words%%[! ]*}"} words=${words%"${words##*[! ]}"}\n'+`}
`+`
`+`heartbeat_age() {
`+`  age=''
`+`  [ -f "$1" ] && wall_clock || return 1
`+`  first_words "$1"
`+`  if epoch_of "$words"; then believe "$((wall - epoch))"; fi
`+`  if modified "$1"; then believe "$((wall - mtime))"; fi
`+`  [ -n "$age" ]
`+`}
`+`
`+`believe() {
`+`  [ "$1" -ge "-$most_ahead" ] || return 0
`+`  if [ -z "$age" ] || [ "$1" -lt "$age" ]; then age=$1; fi
`+`  [ "$age" -ge 0 ] || age=0
`+`}
`+`read_conf() {
`+`  pod_id='' rest='' graphql='' heartbeat_file='' key_source='' ca=''
`+`  pull_margin='' pet_min='' hb_grace='' tick='' backoff_first='' backoff_last='' stuck_after=''
`+`  [ -r "$ram/conf" ] || return 1
`+`  while read -r conf_line; do
`+`    conf_value=\${conf_line#*=}
`+`    case \${conf_line%%=*} in
`+`      pod_id) pod_id=$conf_value ;;
`+`      rest) rest=$conf_value ;;
`+`      graphql) graphql=$conf_value ;;
`+`      heartbeat_file) heartbeat_file=$conf_value ;;
`+`      key_source) key_source=$conf_value ;;
`+`      ca) ca=$conf_value ;;
`+`      pull_margin) span "$conf_value" && pull_margin=$number ;;
`+`      pet_min) span "$conf_value" && pet_min=$number ;;
`+`      hb_grace) span "$conf_value" && hb_grace=$number ;;
`+`      tick) span "$conf_value" && tick=$number ;;
`+`      backoff_first) span "$conf_value" && backoff_first=$number ;;
`+`      backoff_last) span "$conf_value" && backoff_last=$number ;;
`+`      stuck_after) span "$conf_value" && stuck_after=$number ;;
`+`    esac
`+`  done <"$ram/conf"
`+`  for conf_value in "$pod_id" "$rest" "$graphql" "$pull_margin" "$pet_min" "$hb_grace" \\
`+`    "$tick" "$backoff_first" "$backoff_last" "$stuck_after"; do
`+`    [ -n "$conf_value" ] || return 1
`+`  done
`+`  [ "$tick" -ge 1 ]
`+`}
`+`
`+`write_deadline() {
`+`  clock || return 1
`+`  revision=$now-$$
`+`  replace "$ram/deadline" "$((now + $1)) $((now + $2)) $((now + $3)) $4 $5 $now $revision ."
`+`}
`+`
`+`read_deadline() {
`+`  { read -r d_stop d_owner d_absolute d_allowed d_window d_set d_revision d_end <"$ram/deadline"; } 2>/dev/null || return 1
`+`  [ "$d_end" = . ] || return 1
`+`  for d_number in "$d_stop" "$d_owner" "$d_absolute" "$d_allowed" "$d_window" "$d_set"; do
`+`    whole "$d_number" && [ "$number" = "$d_number" ] || return 1
`+`  done
`+`  [ "$d_stop" -le $((d_set + longest_span)) ] && [ "$d_absolute" -le $((d_set + longest_span)) ] || return 1
`+`  set_stop=$d_stop set_owner=$d_owner absolute=$d_absolute allowed=$d_allowed window=$d_window set_at=$d_set
`+`  revision=$d_revision
`+`}
`+`
`+`read_limits() {
`+`  read_deadline || return 1
`+`  granted=0
`+`  if { read -r g_revision g_count g_end <"$ram/grant"; } 2>/dev/null && [ "$g_revision $g_end" = "$revision ." ]; then
`+`    whole "$g_count" && [ "$number" -le "$allowed" ] && granted=$number
`+`  fi
`+`  owner=$((set_owner + granted * pet_min)) stop=$set_stop
`+`  if [ "$granted" -gt 0 ] && [ "$((owner + pull_margin))" -gt "$stop" ]; then stop=$((owner + pull_margin)); fi
`+`  if [ "$owner" -gt "$absolute" ]; then owner=$absolute; fi
`+`  if [ "$stop" -gt "$absolute" ]; then stop=$absolute; fi
`+`}
`+`
`+`extend_if_alive() {
`+`  while [ "$now" -ge "$owner" ] && [ "$granted" -lt "$allowed" ] && [ "$owner" -lt "$absolute" ]; do
`+`    heartbeat_age "$heartbeat_file" && [ "$age" -le "$hb_grace" ] || return 0
`+`    replace "$ram/grant" "$revision $((granted + 1)) ." || return 0
`+`    read_limits || return 0
`+`    note "extended $granted of $allowed: heartbeat $age s old, stops in $((stop - now)) s"
`+`  done
`+`}
`+`
`+`note() {
`+`  wall_clock
`+'  { raw "${wall:-?} ${now:-?} $1" >>"$ram/record"; } 2>/dev/null\n'+`  noted=$((\${noted:-0} + 1))
`+`  [ $((noted % 50)) -eq 0 ] || return 0
`+`  { tail -n 200 "$ram/record" >"$ram/record.$$" && mv -f "$ram/record.$$" "$ram/record"; } 2>/dev/null
`+`}
`+`seated() {
`+`  { read -r seat_pid seat_born seat_rest <"$ram/$1.pid"; } 2>/dev/null && living "$seat_pid" "$seat_born"
`+`}
`+`
`+`take_seat() {
`+`  if [ -e "$ram/off" ] || [ -e "$ram/gone" ] || seated "$role"; then exit 0; fi
`+`  identity "$$" || exit 1
`+`  own_seat="$$ $born"
`+`  replace "$ram/$role.pid" "$own_seat" || exit 1
`+`  { echo -900 >"/proc/$$/oom_score_adj"; } 2>/dev/null
`+`  turn=0 still=0 turn_before=''
`+`}
`+`
`+`on_duty() {
`+`  if [ -e "$ram/off" ] || [ -e "$ram/gone" ]; then return 1; fi
`+`  { read -r seat_pid seat_born seat_rest <"$ram/$role.pid"; } 2>/dev/null && [ "$seat_pid $seat_born" = "$own_seat" ]
`+`}
`+`
`+`beat() {
`+`  turn=$((turn + 1))
`+`  { raw "$turn \${1:--}" 1<>"$ram/$role.beat"; } 2>/dev/null
`+`}
`+`
`+`mind() {
`+`  if seated "$1"; then
`+`    turn_seen=''
`+`    { read -r turn_seen beat_rest <"$ram/$1.beat"; } 2>/dev/null
`+`    if [ -z "$turn_seen" ] || [ "$turn_seen" != "$turn_before" ]; then still=0; else still=$((still + tick)); fi
`+`    turn_before=$turn_seen
`+`    [ "$still" -ge "$stuck_after" ] || return 0
`+`    note "$1 does not turn any more: killed"
`+`    kill -KILL "$seat_pid" 2>/dev/null
`+`  else
`+`    note "$1 is gone: started again"
`+`  fi
`+`  still=0
`+`  start "$1"
`+`}
`+`
`+`start() {
`+`  if command -v setsid >/dev/null 2>&1; then
`+`    setsid sh "$ram/$1" "$ram" </dev/null >/dev/null 2>&1 &
`+`  else
`+`    (trap '' HUP INT QUIT && exec sh "$ram/$1" "$ram") </dev/null >/dev/null 2>&1 &
`+`  fi
`+`}
`+`
`+`rest_a_tick() {
`+`  sleep "$tick" &
`+`  wait "$!"
`+`}
`+`agent=podtrack-switch/1
`+`
`+`find_tool() {
`+`  if curl --version >/dev/null 2>&1; then
`+`    tool=curl
`+`  else
`+`    case $(wget --version 2>/dev/null) in
`+`      'GNU Wget'*) tool=wget ;;
`+`      *)
`+`        if python3 -I -c 'import http.client, ssl' >/dev/null 2>&1; then
`+`          tool=python3
`+`        elif command -v runpodctl >/dev/null 2>&1; then
`+`          tool=runpodctl
`+`        else
`+`          tool=none
`+`        fi
`+`        ;;
`+`    esac
`+`  fi
`+`}
`+`
`+`ca_places="$root/etc/ssl/certs/ca-certificates.crt $root/etc/pki/tls/certs/ca-bundle.crt $root/etc/ssl/ca-bundle.pem \\
`+`$root/etc/ssl/cert.pem $root/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem $root/usr/lib/ssl/cert.pem \\
`+`$root/opt/conda/ssl/cacert.pem $root/usr/local/lib/python3*/*-packages/certifi/cacert.pem \\
`+`$root/usr/lib/python3*/*-packages/certifi/cacert.pem $root/opt/*/lib/python3*/site-packages/certifi/cacert.pem"
`+`ca='' slow_down=0
`+`
`+`http() {
`+`  ask_once "$@"
`+`  [ "$word" = tls-failed ] || return 0
`+`  ca_before=$ca
`+`  for ca_place in '' $ca_places; do
`+`    [ "$ca_place" != "$ca_before" ] || continue
`+`    [ -z "$ca_place" ] || [ -s "$ca_place" ] || continue
`+`    ca=$ca_place
`+`    ask_once "$@"
`+`    [ "$word" = tls-failed ] || return 0
`+`  done
`+`  ca=$ca_before
`+`}
`+`
`+`ask_once() {
`+`  code='' media='' flat='' word=no-answer retry_after=''
`+`  case $tool in
`+`    curl) answer=$(ask_by_curl "$@" | cut_short) ;;
`+`    wget) answer=$(ask_by_wget "$@" | cut_short) ;;
`+`    python3) answer=$(ask_by_python "$@" | cut_short) ;;
`+`    *) word=no-tool && return 0 ;;
`+`  esac
`+`  split_answer
`+`  name_answer
`+`  case $word in
`+`    429 | 503) if span "$retry_after" && [ "$number" -gt "$slow_down" ]; then slow_down=$number; fi ;;
`+`  esac
`+`}
`+`
`+`cut_short() { head -c 65536 | tr -d '\\000\\r'; }
`+`
`+`ask_by_curl() {
`+`  method=$1 url=$2 key=$3
`+`  shift 3
`+`  [ "$#" -eq 0 ] || set -- -H 'Content-Type: application/json' -d "$1"
`+`  [ -z "$ca" ] || set -- --cacert "$ca" "$@"
`+`  raw "header = \\"Authorization: Bearer $key\\"" |
`+`    curl -q -sS -i -m 20 --connect-timeout 10 -A "$agent" -H 'Accept: application/json' -X "$method" "$@" -K - "$url" 2>/dev/null
`+`  raw "\${newline}exit $?"
`+`}
`+`
`+`ask_by_wget() {
`+`  method=$1 url=$2 key=$3
`+`  shift 3
`+`  [ "$#" -eq 0 ] || set -- '--header=Content-Type: application/json' "--body-data=$1"
`+`  [ -z "$ca" ] || set -- "--ca-certificate=$ca" "$@"
`+`  wgetrc=$ram/wgetrc wgetrc_line=''
`+`  { read -r wgetrc_line <"$wgetrc"; } 2>/dev/null
`+`  if [ "$wgetrc_line" != "header = Authorization: Bearer $key" ]; then
`+`    wgetrc=$ram/wgetrc.$$
`+`    write "$wgetrc" "header = Authorization: Bearer $key" || { rm -f "$wgetrc"; return 0; }
`+`  fi
`+`  wget "--config=$wgetrc" -q --save-headers --content-on-error --tries=1 --timeout=20 --max-redirect=0 \\
`+`    "--user-agent=$agent" --header='Accept: application/json' "--method=$method" "$@" -O - "$url" 2>/dev/null
`+`  wget_exit=$?
`+`  [ "$wgetrc" = "$ram/wgetrc" ] || shred_files "$wgetrc"
`+`  raw "\${newline}exit $wget_exit"
`+`}
`+`
`+`by_python='
`+`import http.client, signal, socket, ssl, sys
`+`from urllib.parse import urlsplit
`+`signal.alarm(25)
`+`method, url, ca, agent, body = sys.argv[1:]
`+`headers = {"Authorization": "Bearer " + sys.stdin.readline().strip(), "Accept": "application/json", "User-Agent": agent}
`+`if body:
`+`    headers["Content-Type"] = "application/json"
`+`try:
`+`    to = urlsplit(url)
`+`    if to.scheme == "https":
`+`        trust = ssl.create_default_context(cafile=ca or None)
`+`        door = http.client.HTTPSConnection(to.hostname, to.port, timeout=20, context=trust)
`+`    else:
`+`        door = http.client.HTTPConnection(to.hostname, to.port, timeout=20)
`+`    door.request(method, to.path, body or None, headers)
`+`    answer = door.getresponse()
`+`    head = ["HTTP/1.1 %d -" % answer.status] + ["%s: %s" % pair for pair in answer.getheaders()]
`+`    sys.stdout.buffer.write(("\\n".join(head) + "\\n\\n").encode("latin-1") + answer.read(65536))
`+`except socket.gaierror:
`+`    sys.exit(6)
`+`except ssl.SSLError:
`+`    sys.exit(60)
`+`except socket.timeout:
`+`    sys.exit(28)
`+`except http.client.HTTPException:
`+`    sys.exit(52)
`+`except OSError:
`+`    sys.exit(7)
`+`'
`+`
`+`ask_by_python() {
`+`  method=$1 url=$2 key=$3
`+`  shift 3
`+`  raw "$key" | python3 -I -c "$by_python" "$method" "$url" "$ca" "$agent" "\${1:-}" 2>/dev/null
`+`  raw "\${newline}exit $?"
`+`}
`+`
`+`split_answer() {
`+`  tool_exit=''
`+`  case $answer in
`+`    *"\${newline}exit "*)
`+'      tool_exit=${answer##*"${newline}exit "}\n'+'      answer=${answer%"${newline}exit "*}\n'+`      ;;
`+`  esac
`+`  head='' body=''
`+`  while :; do
`+`    case $answer in HTTP/*) ;; *) break ;; esac
`+`    head=\${answer%%"$newline$newline"*}
`+`    case $answer in *"$newline$newline"*) body=\${answer#*"$newline$newline"} ;; *) body='' ;; esac
`+`    status_line=\${head%%"$newline"*}
`+`    code=\${status_line#* }
`+`    code=\${code%% *}
`+`    case $status_line in *' 1'[0-9][0-9]* | *onnection\\ established*) code='' answer=$body ;; *) break ;; esac
`+`  done
`+`  if [ "$tool" = wget ] && [ -z "$code" ] && [ "$tool_exit" = 0 ]; then code=204; fi
`+`  while [ -n "$head" ]; do
`+`    header=\${head%%"$newline"*}
`+`    case $header in
`+`      [Cc]ontent-[Tt]ype:*) media=\${header#*:} ;;
`+"      [Rr]etry-[Aa]fter:*) retry_after=${header#*:} retry_after=${retry_after# } ;;\n"+`    esac
`+`    case $head in *"$newline"*) head=\${head#*"$newline"} ;; *) head='' ;; esac
`+`  done
`+`  [ -z "$body" ] || flat=$(raw "$body" | tr -d ' \\t\\n')
`+`}
`+`
`+`name_answer() {
`+`  case $code in
`+`    2[0-9][0-9]) case $media in *html*) word=html ;; *) word=ok ;; esac ;;
`+`    404) if says_absent; then word=absent; else word=404-unclear; fi ;;
`+`    [1-5][0-9][0-9]) word=$code ;;
`+`    *) word_of_exit ;;
`+`  esac
`+`}
`+`
`+`says_absent() {
`+`  case $media in *application/problem+json*) ;; *) return 1 ;; esac
`+`  case $flat in *'"detail":"'[!\\"]*) ;; *) return 1 ;; esac
`+`  detail=\${flat#*'"detail":"'}
`+`  case \${detail%%\\"*} in
`+`    *[Pp]ath* | *[Rr]oute* | *[Ee]ndpoint* | *[Uu][Rr][Ll]* | *[Pp]age*) return 1 ;;
`+`    *ccess* | *ermission* | *enied* | *orbidden* | *uthori[sz]* | *navailable* | *aintenance* | *emporar* | *uspend* | *isabled*) return 1 ;;
`+`    *hasmoved* | *wasmoved*) return 1 ;;
`+`    *[Pp]od* | *[Rr]esource* | [Nn]ot[Ff]ound | [Nn]ot[Ff]ound.) ;;
`+`    *) return 1 ;;
`+`  esac
`+`  case $flat in '{'*'"status":404'[,}]*'}' | '{'*'"status":404}') ;; *) return 1 ;; esac
`+`}
`+`
`+`word_of_exit() {
`+`  case $tool-$tool_exit in
`+`    curl-6 | python3-6) word=no-such-host ;;
`+`    curl-7 | wget-4 | python3-7) word=no-connection ;;
`+`    curl-28 | python3-28 | python3-142) word=timed-out ;;
`+`    curl-35 | curl-5[189] | curl-60 | curl-66 | curl-77 | curl-83 | wget-5 | python3-60) word=tls-failed ;;
`+`    *) word=no-answer-$tool_exit ;;
`+`  esac
`+`}
`+`
`+`graphql() {
`+`  http POST "$graphql" "$1" "$2"
`+`  [ "$code" = 200 ] || return 0
`+`  case $media in *json*) ;; *) word=not-json && return 0 ;; esac
`+`  case $flat in
`+`    *'"errors"'*[Uu]nauthorized*) word=unauthorized ;;
`+`    *'"errors"'*POD_NOT_FOUND* | *'"errors"'*notfound*) word=not-found ;;
`+`    *'"errors"'*) word=errors ;;
`+`    '{"data":{'*'}}') word=ok ;;
`+`    *) word=odd ;;
`+`  esac
`+`}
`+`
`+`end_request() { raw "{\\"query\\":\\"mutation { podTerminate(input: {podId: \\\\\\"$1\\\\\\"}) }\\"}"; }
`+`read_request() { raw "{\\"query\\":\\"query { pod(input: {podId: \\\\\\"$1\\\\\\"}) { id desiredStatus } }\\"}"; }
`+`
`+`injected_key() {
`+`  key=$({ tr '\\000' '\\n' <"$root/proc/1/environ"; } 2>/dev/null | sed -n 's/^RUNPOD_API_KEY=//p' | head -n 1)
`+`  if ! usable_key "$key"; then
`+`    key=$(sed -n 's/^export RUNPOD_API_KEY="\\{0,1\\}\\([^"]*\\)"\\{0,1\\}$/\\1/p' "$root/etc/rp_environment" 2>/dev/null | head -n 1)
`+`  fi
`+`  usable_key "$key" || { key='' && return 1; }
`+`}
`+`
`+`usable_key() {
`+`  case $1 in '' | *[!A-Za-z0-9._~+/=-]*) return 1 ;; esac
`+'  [ "${#1}" -ge 4 ] && [ "${#1}" -le 512 ]\n'+`}
`+`said_before=''
`+`say() { raw "$said_before$1=$2"; }
`+`
`+`lack() { [ -n "$reason" ] || reason=$1; }
`+`
`+`role_state() {
`+`  state=dead
`+`  if seated "$1"; then
`+`    case $gait in T | t) state=stopped ;; *) state=alive ;; esac
`+`  fi
`+`  [ "$state" = alive ] || lack "$1-$state"
`+`}
`+`
`+`held() {
`+`  value=''
`+`  while read -r mark_line; do
`+`    case $mark_line in "$1="*) value=\${mark_line#*=} ;; esac
`+`  done <"$ram/mark"
`+`}
`+`
`+`say_mark() {
`+`  held podId && say pod_id "$value"
`+`  held registryId && say registry_id "$value"
`+`  held ownerUuid && say owner_uuid "$value"
`+`}
`+`
`+`say_clocks() {
`+`  if wall_clock; then say pod_now "$wall"; fi
`+`  if clock; then say uptime "$now"; fi
`+`}
`+`
`+`say_fired() {
`+`  if { read -r fired_at fired_why fired_rest <"$ram/fired"; } 2>/dev/null; then
`+`    say fired yes
`+`    say fire_reason "$fired_why"
`+`  else
`+`    say fired no
`+`  fi
`+`  if { read -r fire_tries fire_last <"$ram/tries"; } 2>/dev/null; then
`+`    say fire_tries "$fire_tries"
`+`    say fire_last "$fire_last"
`+`  else
`+`    say fire_tries 0
`+`  fi
`+`}
`+`
`+`say_limits() {
`+`  read_limits || { lack deadline-unreadable && return 0; }
`+`  clock || { lack clock-unreadable && return 0; }
`+`  [ "$now" -ge "$set_at" ] || lack clock-went-back
`+`  say stop_in $((stop - now))
`+`  say owner_in $((owner - now))
`+`  say absolute_in $((absolute - now))
`+`  say extensions_left $((allowed - granted))
`+`  say extensions_granted "$granted"
`+`  say pet_window "$window"
`+`  say last_pet_ago $((now - set_at))
`+`  if { read -r beat_turn beat_revision <"$ram/watchdog.beat"; } 2>/dev/null && [ "$beat_revision" = "$revision" ]; then
`+`    say acted yes
`+`  else
`+`    say acted no
`+`  fi
`+`}
`+`
`+`say_status() {
`+`  reason=''
`+`  say_clocks
`+`  if ! find_ram; then
`+`    find_tool
`+`    say http_tool "$tool"
`+`    say armed no
`+`    say reason not-installed
`+`    return 0
`+`  fi
`+`  say place "\${ram#"$root"}"
`+`  say_mark
`+`  if read_conf; then
`+`    say key_source "$key_source"
`+`    say ca "\${ca:-default}"
`+`    say_limits
`+`  else
`+`    lack conf-unreadable
`+`  fi
`+`  role_state watchdog
`+`  say watchdog "$state"
`+`  role_state supervisor
`+`  say supervisor "$state"
`+`  say_fired
`+`  find_tool
`+`  say http_tool "$tool"
`+`  [ "$tool" != none ] || lack no-http-tool
`+`  if [ -s "$ram/credential" ]; then
`+`    say credential present
`+`  else
`+`    say credential absent
`+`    [ "$tool" = runpodctl ] || lack no-credential
`+`  fi
`+`  if [ -e "$ram/gone" ]; then reason=gone-proven; fi
`+`  if [ -z "$reason" ]; then say armed yes; else say armed no && say reason "$reason"; fi
`+`}
`+`refuse() {
`+`  say refused "$1"
`+`  say_status
`+`  exit 3
`+`}
`+`
`+`words() {
`+`  for word_given in "$@"; do
`+`    word_value=\${word_given#*=}
`+`    case $word_given in
`+`      stop_in=*) w_stop_in=$word_value ;;
`+`      owner_in=*) w_owner_in=$word_value ;;
`+`      absolute_in=*) w_absolute_in=$word_value ;;
`+`      extensions_left=*) w_extensions_left=$word_value ;;
`+`      pet_window=*) w_pet_window=$word_value ;;
`+`      pod_id=*) w_pod_id=$word_value ;;
`+`      registry_id=*) w_registry_id=$word_value ;;
`+`      owner_uuid=*) w_owner_uuid=$word_value ;;
`+`      rest=*) w_rest=\${word_value%/} ;;
`+`      graphql=*) w_graphql=$word_value ;;
`+`      ca=*) w_ca=$word_value ;;
`+`      key_source=*) w_key_source=$word_value ;;
`+`      pull_margin=*) w_pull_margin=$word_value ;;
`+`      pet_min=*) w_pet_min=$word_value ;;
`+`      hb_grace=*) w_hb_grace=$word_value ;;
`+`      tick=*) w_tick=$word_value ;;
`+`      backoff_first=*) w_backoff_first=$word_value ;;
`+`      backoff_last=*) w_backoff_last=$word_value ;;
`+`      stuck_after=*) w_stuck_after=$word_value ;;
`+`      *) refuse "unknown-word" ;;
`+`    esac
`+`  done
`+`}
`+`
`+`check_deadlines() {
`+`  span "\${w_absolute_in:-}" && [ "$number" -ge 1 ] || refuse bad-absolute_in
`+`  w_absolute_in=$number
`+`  span "\${w_stop_in:-}" && [ "$number" -ge 1 ] && [ "$number" -le "$w_absolute_in" ] || refuse bad-stop_in
`+`  w_stop_in=$number
`+`  span "\${w_owner_in:-}" && [ "$number" -le "$w_absolute_in" ] || refuse bad-owner_in
`+`  w_owner_in=$number
`+`  whole "\${w_extensions_left:-}" && [ "$number" -le 1000 ] || refuse bad-extensions_left
`+`  w_extensions_left=$number
`+`  span "\${w_pet_window:-}" || refuse bad-pet_window
`+`  w_pet_window=$number
`+`}
`+`
`+`plain() {
`+`  case $1 in '' | *[!A-Za-z0-9._:/@#%+-]*) return 1 ;; esac
`+`  [ "\${#1}" -le 2000 ]
`+`}
`+`
`+`await_act() {
`+`  clock || return 1
`+`  await_until=$((now + 3 * tick + 6)) await_turns=300
`+`  while clock && [ "$now" -le "$await_until" ] && [ "$await_turns" -gt 0 ]; do
`+`    await_turns=$((await_turns - 1))
`+`    [ ! -e "$ram/fired" ] || return 1
`+`    beat_revision=''
`+`    { read -r beat_turn beat_revision <"$ram/watchdog.beat"; } 2>/dev/null
`+`    if [ "$beat_revision" = "$revision" ] && seated watchdog && seated supervisor; then return 0; fi
`+`    pause
`+`  done
`+`  return 1
`+`}
`+`
`+`pet() {
`+`  find_ram || refuse not-installed
`+`  read_conf || refuse conf-unreadable
`+`  [ ! -e "$ram/fired" ] || refuse fired
`+`  seated watchdog || seated supervisor || refuse dead
`+`  if [ -z "\${w_pet_window:-}" ] && read_deadline; then w_pet_window=$window; fi
`+`  check_deadlines
`+`  write_deadline "$w_stop_in" "$w_owner_in" "$w_absolute_in" "$w_extensions_left" "$w_pet_window" || refuse no-room
`+`  seated watchdog && kill -USR1 "$seat_pid" 2>/dev/null
`+`  pet_exit=0
`+`  await_act || pet_exit=1
`+`  if [ -e "$ram/fired" ]; then refuse fired; fi
`+`  [ "$pet_exit" -eq 0 ] || say refused not-acted-on
`+`  say_status
`+`  return "$pet_exit"
`+`}
`+`
`+`stand_down() {
`+`  remember off || return 1
`+`  clock
`+`  down_until=$((now + 10))
`+`  for role in supervisor watchdog; do
`+`    while seated "$role"; do
`+`      kill -KILL "$seat_pid" 2>/dev/null
`+`      clock && [ "$now" -le "$down_until" ] || return 1
`+`      pause
`+`    done
`+`  done
`+`}
`+`
`+`disarm() {
`+`  while find_ram; do
`+`    shred_files "$ram/credential" "$ram/wgetrc" "$ram"/wgetrc.*
`+`    stand_down || refuse still-running
`+`    rm -rf "$ram"
`+`  done
`+`  say_status
`+`}
`+`
`+`take_key() {
`+`  key=''
`+`  case \${w_key_source:-} in
`+`    given | explicit | deadman | full)
`+`      IFS= read -r key || [ -n "$key" ] || return 1
`+`      key=\${key%"$(raw x | tr x '\\r')"}
`+`      ;;
`+`    injected) injected_key || return 1 ;;
`+`    planted) find_ram && { read -r key <"$ram/credential"; } 2>/dev/null || return 1 ;;
`+`    *) return 1 ;;
`+`  esac
`+`  usable_key "$key"
`+`}
`+`
`+`check() {
`+'  plain "${w_pod_id:-}" && plain "${w_rest:-}" && plain "${w_graphql:-}" || refuse bad-address\n'+`  rest=$w_rest graphql=$w_graphql
`+`  if ! find_ram; then
`+`    not_here=''
`+`    for place in $memory_places; do
`+`      if open_ram "$place"; then break; fi
`+`      not_here="$not_here,$place:$why_not"
`+`    done
`+`    [ -n "$ram" ] || refuse "no-ram$not_here"
`+`  fi
`+`  find_tool
`+`  say http_tool "$tool"
`+`  if ! take_key; then
`+`    say key absent
`+`    rmdir "$ram" 2>/dev/null
`+`    return 1
`+`  fi
`+`  say key usable
`+`  http GET "$rest/v2/pods/$w_pod_id" "$key"
`+`  say read_rest "$word"
`+`  http DELETE "$rest/v2/pods/podtrack-no-such-pod" "$key"
`+`  say end_rest "$word"
`+`  graphql "$key" "$(read_request "$w_pod_id")"
`+`  case $flat in '{"data":{"pod":null}}') word=absent ;; esac
`+`  say read_graphql "$word"
`+`  graphql "$key" "$(end_request podtrack-no-such-pod)"
`+`  say end_graphql "$word"
`+`  say ca "\${ca:-default}"
`+`  rmdir "$ram" 2>/dev/null
`+`  return 0
`+`}
`+`
`+`beat_for_job() {
`+`  beat_file=\${HOME:-$root/root}/.podtrack_job_alive
`+`  if [ -d "$beat_file" ] || [ -L "$beat_file" ]; then say refused beat-file-blocked && exit 3; fi
`+`  if date -u +%Y-%m-%dT%H:%M:%SZ >"$beat_file.$$" && mv -f "$beat_file.$$" "$beat_file"; then
`+`    say beat written
`+`  else
`+`    rm -f "$beat_file.$$"
`+`    say refused beat-not-written
`+`    exit 3
`+`  fi 2>/dev/null
`+`}
`+`
`+`watchdog_text='root=\${PODTRACK_ROOT:-}
`+`newline='\\''
`+`'\\''
`+`longest_span=2678400
`+`
`+`settle_in() {
`+`  set +e +u +f +x +v +C
`+`  umask 077
`+`  LC_ALL=C
`+`  export LC_ALL
`+`}
`+`
`+`if [ -n "\${KSH_VERSION:-}" ] && [ "$(command -v print)" = print ]; then
`+`  raw() { print -r -- "$1"; }
`+`else
`+`  raw() { printf '\\''%s\\n'\\'' "$1"; }
`+`fi
`+`
`+`whole() {
`+`  number=$1
`+`  case $number in '\\'''\\'' | *[!0-9]*) return 1 ;; esac
`+`  while :; do
`+`    case $number in
`+`      0?*) number=\${number#0} ;;
`+`      *) break ;;
`+`    esac
`+`  done
`+`  [ "\${#number}" -le 9 ]
`+`}
`+`
`+`span() { whole "$1" && [ "$number" -le "$longest_span" ]; }
`+`
`+`clock() {
`+`  for clock_file in "$root/proc/uptime" /proc/uptime; do
`+`    { read -r now clock_rest <"$clock_file"; } 2>/dev/null || continue
`+`    whole "\${now%%.*}" || continue
`+`    now=$number
`+`    return 0
`+`  done
`+`  now='\\'''\\''
`+`  return 1
`+`}
`+`
`+`identity() {
`+`  born='\\'''\\'' gait='\\'''\\''
`+`  whole "$1" || return 1
`+`  for stat_file in "$root/proc/$1/stat" "/proc/$1/stat"; do
`+`    { read -r stat_line <"$stat_file"; } 2>/dev/null || continue
`+`    set -- \${stat_line##*) }
`+`    [ "$#" -ge 20 ] || continue
`+`    gait=$1
`+`    born=\${20}
`+`    return 0
`+`  done
`+`  return 1
`+`}
`+`
`+`living() {
`+`  identity "$1" && [ "$born" = "$2" ] || return 1
`+`  case $gait in Z | X | x) return 1 ;; esac
`+`}
`+`
`+`pause() { sleep 0.1 2>/dev/null || sleep 1; }
`+`memory_places='\\''/dev/shm /run /tmp'\\''
`+`
`+`in_memory() {
`+`  why_not=not-mounted mount_options='\\'''\\''
`+`  mount_table=$root/proc/mounts
`+`  [ -r "$mount_table" ] || mount_table=/proc/mounts
`+`  while read -r mount_source mount_place mount_kind mount_options mount_rest; do
`+`    [ "$mount_place" = "$1" ] || continue
`+`    case $mount_kind in tmpfs | ramfs) why_not='\\'''\\'' ;; *) why_not=not-memory ;; esac
`+`    case ",$mount_options," in *,ro,*) why_not=read-only ;; esac
`+`  done <"$mount_table"
`+`  [ -z "$why_not" ]
`+`}
`+`
`+`own() { [ -d "$1" ] && [ ! -h "$1" ] && [ -O "$1" ]; }
`+`
`+`find_ram() {
`+`  ram='\\'''\\''
`+`  for place in $memory_places; do
`+`    [ -f "$root$place/podtrack/mark" ] || continue
`+`    own "$root$place/podtrack" || continue
`+`    ram=$root$place/podtrack
`+`    return 0
`+`  done
`+`  return 1
`+`}
`+`
`+`open_ram() {
`+`  ram='\\'''\\''
`+`  in_memory "$1" || return 1
`+`  why_not=not-writable
`+`  mkdir "$root$1/podtrack" 2>/dev/null || [ -d "$root$1/podtrack" ] || return 1
`+`  why_not=not-ours
`+`  own "$root$1/podtrack" || return 1
`+`  chmod 700 "$root$1/podtrack" 2>/dev/null || return 1
`+`  ram=$root$1/podtrack why_not='\\'''\\''
`+`}
`+`
`+`write() {
`+`  { raw "$2" >"$1"; } 2>/dev/null && [ "$(cat "$1" 2>/dev/null)" = "$2" ]
`+`}
`+`
`+`replace() {
`+`  renew "$1" "$2" && return 0
`+`  if [ -f "$1" ] && { raw "$2" 1<>"$1"; } 2>/dev/null; then return 0; fi
`+`  while make_room; do
`+`    renew "$1" "$2" && return 0
`+`  done
`+`  return 1
`+`}
`+`
`+`make_room() {
`+`  for spare in "$ram/reserve" "$ram"/spare.[0-9]; do
`+`    [ -f "$spare" ] && rm -f "$spare" && return 0
`+`  done
`+`  return 1
`+`}
`+`
`+`remember() {
`+`  { true >"$ram/$1"; } 2>/dev/null && return 0
`+`  while make_room; do
`+`    { true >"$ram/$1"; } 2>/dev/null && return 0
`+`  done
`+`  return 1
`+`}
`+`
`+`renew() {
`+`  if write "$1.$$" "$2" && mv -f "$1.$$" "$1" 2>/dev/null; then return 0; fi
`+`  rm -f "$1.$$"
`+`  return 1
`+`}
`+`
`+`shred_files() {
`+`  for shredded in "$@"; do
`+`    [ -f "$shredded" ] || continue
`+`    dd if=/dev/zero of="$shredded" bs=1024 count=1 conv=notrunc 2>/dev/null
`+`    rm -f "$shredded"
`+`  done
`+`}
`+`most_ahead=120
`+`
`+`two() {
`+`  case $1 in [0-9][0-9]) whole "$1" && [ "$number" -le "$2" ] ;; *) return 1 ;; esac
`+`}
`+`
`+`epoch_of() {
`+`  case $1 in
`+`    [0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9][Tt\\ ][0-9][0-9]:[0-9][0-9]:[0-9][0-9]?*) ;;
`+`    *) return 1 ;;
`+`  esac
`+`  zone=\${1#???????????????????}
`+`  case $zone in
`+'    .[0-9]*) zone=${zone#.} zone=${zone#"${zone%%[!0-9]*}"} ;;\n'+`  esac
`+`  field=$1
`+'  whole "${field%%-*}" && year=$number && field=${field#*-} || return 1\n'+`  [ "$year" -ge 1970 ] && [ "$year" -le 2100 ] || return 1
`+'  two "${field%%-*}" 12 && month=$number && field=${field#*-} || return 1\n'+'  two "${field%"${field#??}"}" 31 && day=$number && field=${field#???} || return 1\n'+`  [ "$month" -ge 1 ] && [ "$day" -ge 1 ] || return 1
`+`  case $month in
`+`    2) if [ $((year % 4)) -eq 0 ] && { [ $((year % 100)) -ne 0 ] || [ $((year % 400)) -eq 0 ]; }; then last=29; else last=28; fi ;;
`+`    4 | 6 | 9 | 11) last=30 ;;
`+`    *) last=31 ;;
`+`  esac
`+`  [ "$day" -le "$last" ] || return 1
`+'  two "${field%%:*}" 23 && hour=$number && field=${field#*:} || return 1\n'+'  two "${field%%:*}" 59 && minute=$number && field=${field#*:} || return 1\n'+'  two "${field%"${field#??}"}" 60 && second=$number || return 1\n'+`  zone_seconds "$zone" || return 1
`+`  if [ "$month" -le 2 ]; then year=$((year - 1)) month=$((month + 12)); fi
`+`  days=$((365 * year + year / 4 - year / 100 + year / 400 + (153 * (month - 3) + 2) / 5 + day - 1 - 719468))
`+`  epoch=$((days * 86400 + hour * 3600 + minute * 60 + second - east))
`+`}
`+`
`+`zone_seconds() {
`+`  east=0
`+`  case $1 in
`+`    Z | z) return 0 ;;
`+`    [+-][0-9][0-9]:[0-9][0-9] | [+-][0-9][0-9][0-9][0-9]) ;;
`+`    *) return 1 ;;
`+`  esac
`+`  zone_digits=\${1#?}
`+'  two "${zone_digits%"${zone_digits#??}"}" 23 && east=$((number * 3600)) || return 1\n'+'  two "${zone_digits#"${zone_digits%??}"}" 59 && east=$((east + number * 60)) || return 1\n'+`  case $1 in -*) east=$((0 - east)) ;; esac
`+`}
`+`
`+`moment() {
`+`  case $1 in '\\'''\\'' | 0?* | *[!0-9]* | [5-9]????????? | ???????????*) return 1 ;; esac
`+`}
`+`
`+`wall_clock() {
`+`  wall=$(date +%s 2>/dev/null)
`+`  moment "$wall" || { wall='\\'''\\'' && return 1; }
`+`}
`+`
`+`modified() {
`+`  mtime=$(stat -L -c %Y "$1" 2>/dev/null) || mtime=$(date -r "$1" +%s 2>/dev/null) || mtime='\\'''\\''
`+`  moment "$mtime" || { mtime='\\'''\\'' && return 1; }
`+`}
`+`
`+`first_words() {
`+`  words='\\'''\\''
`+`  [ -f "$1" ] && words=$(dd if="$1" bs=64 count=1 2>/dev/null | tr '\\''\\n'\\'' '\\''#'\\'' | tr -cd '\\''0-9TtZz:.+ #-'\\'')
`+`  words=\${words%%#*}
`+'  words=${words#"${words%%[! ]*}"} words=${words%"${words##*[! ]}"}\n'+`}
`+`
`+`heartbeat_age() {
`+`  age='\\'''\\''
`+`  [ -f "$1" ] && wall_clock || return 1
`+`  first_words "$1"
`+`  if epoch_of "$words"; then believe "$((wall - epoch))"; fi
`+`  if modified "$1"; then believe "$((wall - mtime))"; fi
`+`  [ -n "$age" ]
`+`}
`+`
`+`believe() {
`+`  [ "$1" -ge "-$most_ahead" ] || return 0
`+`  if [ -z "$age" ] || [ "$1" -lt "$age" ]; then age=$1; fi
`+`  [ "$age" -ge 0 ] || age=0
`+`}
`+`read_conf() {
`+`  pod_id='\\'''\\'' rest='\\'''\\'' graphql='\\'''\\'' heartbeat_file='\\'''\\'' key_source='\\'''\\'' ca='\\'''\\''
`+`  pull_margin='\\'''\\'' pet_min='\\'''\\'' hb_grace='\\'''\\'' tick='\\'''\\'' backoff_first='\\'''\\'' backoff_last='\\'''\\'' stuck_after='\\'''\\''
`+`  [ -r "$ram/conf" ] || return 1
`+`  while read -r conf_line; do
`+`    conf_value=\${conf_line#*=}
`+`    case \${conf_line%%=*} in
`+`      pod_id) pod_id=$conf_value ;;
`+`      rest) rest=$conf_value ;;
`+`      graphql) graphql=$conf_value ;;
`+`      heartbeat_file) heartbeat_file=$conf_value ;;
`+`      key_source) key_source=$conf_value ;;
`+`      ca) ca=$conf_value ;;
`+`      pull_margin) span "$conf_value" && pull_margin=$number ;;
`+`      pet_min) span "$conf_value" && pet_min=$number ;;
`+`      hb_grace) span "$conf_value" && hb_grace=$number ;;
`+`      tick) span "$conf_value" && tick=$number ;;
`+`      backoff_first) span "$conf_value" && backoff_first=$number ;;
`+`      backoff_last) span "$conf_value" && backoff_last=$number ;;
`+`      stuck_after) span "$conf_value" && stuck_after=$number ;;
`+`    esac
`+`  done <"$ram/conf"
`+`  for conf_value in "$pod_id" "$rest" "$graphql" "$pull_margin" "$pet_min" "$hb_grace" \\
`+`    "$tick" "$backoff_first" "$backoff_last" "$stuck_after"; do
`+`    [ -n "$conf_value" ] || return 1
`+`  done
`+`  [ "$tick" -ge 1 ]
`+`}
`+`
`+`write_deadline() {
`+`  clock || return 1
`+`  revision=$now-$$
`+`  replace "$ram/deadline" "$((now + $1)) $((now + $2)) $((now + $3)) $4 $5 $now $revision ."
`+`}
`+`
`+`read_deadline() {
`+`  { read -r d_stop d_owner d_absolute d_allowed d_window d_set d_revision d_end <"$ram/deadline"; } 2>/dev/null || return 1
`+`  [ "$d_end" = . ] || return 1
`+`  for d_number in "$d_stop" "$d_owner" "$d_absolute" "$d_allowed" "$d_window" "$d_set"; do
`+`    whole "$d_number" && [ "$number" = "$d_number" ] || return 1
`+`  done
`+`  [ "$d_stop" -le $((d_set + longest_span)) ] && [ "$d_absolute" -le $((d_set + longest_span)) ] || return 1
`+`  set_stop=$d_stop set_owner=$d_owner absolute=$d_absolute allowed=$d_allowed window=$d_window set_at=$d_set
`+`  revision=$d_revision
`+`}
`+`
`+`read_limits() {
`+`  read_deadline || return 1
`+`  granted=0
`+`  if { read -r g_revision g_count g_end <"$ram/grant"; } 2>/dev/null && [ "$g_revision $g_end" = "$revision ." ]; then
`+`    whole "$g_count" && [ "$number" -le "$allowed" ] && granted=$number
`+`  fi
`+`  owner=$((set_owner + granted * pet_min)) stop=$set_stop
`+`  if [ "$granted" -gt 0 ] && [ "$((owner + pull_margin))" -gt "$stop" ]; then stop=$((owner + pull_margin)); fi
`+`  if [ "$owner" -gt "$absolute" ]; then owner=$absolute; fi
`+`  if [ "$stop" -gt "$absolute" ]; then stop=$absolute; fi
`+`}
`+`
`+`extend_if_alive() {
`+`  while [ "$now" -ge "$owner" ] && [ "$granted" -lt "$allowed" ] && [ "$owner" -lt "$absolute" ]; do
`+`    heartbeat_age "$heartbeat_file" && [ "$age" -le "$hb_grace" ] || return 0
`+`    replace "$ram/grant" "$revision $((granted + 1)) ." || return 0
`+`    read_limits || return 0
`+`    note "extended $granted of $allowed: heartbeat $age s old, stops in $((stop - now)) s"
`+`  done
`+`}
`+`
`+`note() {
`+`  wall_clock
`+'  { raw "${wall:-?} ${now:-?} $1" >>"$ram/record"; } 2>/dev/null\n'+`  noted=$((\${noted:-0} + 1))
`+`  [ $((noted % 50)) -eq 0 ] || return 0
`+`  { tail -n 200 "$ram/record" >"$ram/record.$$" && mv -f "$ram/record.$$" "$ram/record"; } 2>/dev/null
`+`}
`+`seated() {
`+`  { read -r seat_pid seat_born seat_rest <"$ram/$1.pid"; } 2>/dev/null && living "$seat_pid" "$seat_born"
`+`}
`+`
`+`take_seat() {
`+`  if [ -e "$ram/off" ] || [ -e "$ram/gone" ] || seated "$role"; then exit 0; fi
`+`  identity "$$" || exit 1
`+`  own_seat="$$ $born"
`+`  replace "$ram/$role.pid" "$own_seat" || exit 1
`+`  { echo -900 >"/proc/$$/oom_score_adj"; } 2>/dev/null
`+`  turn=0 still=0 turn_before='\\'''\\''
`+`}
`+`
`+`on_duty() {
`+`  if [ -e "$ram/off" ] || [ -e "$ram/gone" ]; then return 1; fi
`+`  { read -r seat_pid seat_born seat_rest <"$ram/$role.pid"; } 2>/dev/null && [ "$seat_pid $seat_born" = "$own_seat" ]
`+`}
`+`
`+`beat() {
`+`  turn=$((turn + 1))
`+`  { raw "$turn \${1:--}" 1<>"$ram/$role.beat"; } 2>/dev/null
`+`}
`+`
`+`mind() {
`+`  if seated "$1"; then
`+`    turn_seen='\\'''\\''
`+`    { read -r turn_seen beat_rest <"$ram/$1.beat"; } 2>/dev/null
`+`    if [ -z "$turn_seen" ] || [ "$turn_seen" != "$turn_before" ]; then still=0; else still=$((still + tick)); fi
`+`    turn_before=$turn_seen
`+`    [ "$still" -ge "$stuck_after" ] || return 0
`+`    note "$1 does not turn any more: killed"
`+`    kill -KILL "$seat_pid" 2>/dev/null
`+`  else
`+`    note "$1 is gone: started again"
`+`  fi
`+`  still=0
`+`  start "$1"
`+`}
`+`
`+`start() {
`+`  if command -v setsid >/dev/null 2>&1; then
`+`    setsid sh "$ram/$1" "$ram" </dev/null >/dev/null 2>&1 &
`+`  else
`+`    (trap '\\'''\\'' HUP INT QUIT && exec sh "$ram/$1" "$ram") </dev/null >/dev/null 2>&1 &
`+`  fi
`+`}
`+`
`+`rest_a_tick() {
`+`  sleep "$tick" &
`+`  wait "$!"
`+`}
`+`agent=podtrack-switch/1
`+`
`+`find_tool() {
`+`  if curl --version >/dev/null 2>&1; then
`+`    tool=curl
`+`  else
`+`    case $(wget --version 2>/dev/null) in
`+`      '\\''GNU Wget'\\''*) tool=wget ;;
`+`      *)
`+`        if python3 -I -c '\\''import http.client, ssl'\\'' >/dev/null 2>&1; then
`+`          tool=python3
`+`        elif command -v runpodctl >/dev/null 2>&1; then
`+`          tool=runpodctl
`+`        else
`+`          tool=none
`+`        fi
`+`        ;;
`+`    esac
`+`  fi
`+`}
`+`
`+`ca_places="$root/etc/ssl/certs/ca-certificates.crt $root/etc/pki/tls/certs/ca-bundle.crt $root/etc/ssl/ca-bundle.pem \\
`+`$root/etc/ssl/cert.pem $root/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem $root/usr/lib/ssl/cert.pem \\
`+`$root/opt/conda/ssl/cacert.pem $root/usr/local/lib/python3*/*-packages/certifi/cacert.pem \\
`+`$root/usr/lib/python3*/*-packages/certifi/cacert.pem $root/opt/*/lib/python3*/site-packages/certifi/cacert.pem"
`+`ca='\\'''\\'' slow_down=0
`+`
`+`http() {
`+`  ask_once "$@"
`+`  [ "$word" = tls-failed ] || return 0
`+`  ca_before=$ca
`+`  for ca_place in '\\'''\\'' $ca_places; do
`+`    [ "$ca_place" != "$ca_before" ] || continue
`+`    [ -z "$ca_place" ] || [ -s "$ca_place" ] || continue
`+`    ca=$ca_place
`+`    ask_once "$@"
`+`    [ "$word" = tls-failed ] || return 0
`+`  done
`+`  ca=$ca_before
`+`}
`+`
`+`ask_once() {
`+`  code='\\'''\\'' media='\\'''\\'' flat='\\'''\\'' word=no-answer retry_after='\\'''\\''
`+`  case $tool in
`+`    curl) answer=$(ask_by_curl "$@" | cut_short) ;;
`+`    wget) answer=$(ask_by_wget "$@" | cut_short) ;;
`+`    python3) answer=$(ask_by_python "$@" | cut_short) ;;
`+`    *) word=no-tool && return 0 ;;
`+`  esac
`+`  split_answer
`+`  name_answer
`+`  case $word in
`+`    429 | 503) if span "$retry_after" && [ "$number" -gt "$slow_down" ]; then slow_down=$number; fi ;;
`+`  esac
`+`}
`+`
`+`cut_short() { head -c 65536 | tr -d '\\''\\000\\r'\\''; }
`+`
`+`ask_by_curl() {
`+`  method=$1 url=$2 key=$3
`+`  shift 3
`+`  [ "$#" -eq 0 ] || set -- -H '\\''Content-Type: application/json'\\'' -d "$1"
`+`  [ -z "$ca" ] || set -- --cacert "$ca" "$@"
`+`  raw "header = \\"Authorization: Bearer $key\\"" |
`+`    curl -q -sS -i -m 20 --connect-timeout 10 -A "$agent" -H '\\''Accept: application/json'\\'' -X "$method" "$@" -K - "$url" 2>/dev/null
`+`  raw "\${newline}exit $?"
`+`}
`+`
`+`ask_by_wget() {
`+`  method=$1 url=$2 key=$3
`+`  shift 3
`+`  [ "$#" -eq 0 ] || set -- '\\''--header=Content-Type: application/json'\\'' "--body-data=$1"
`+`  [ -z "$ca" ] || set -- "--ca-certificate=$ca" "$@"
`+`  wgetrc=$ram/wgetrc wgetrc_line='\\'''\\''
`+`  { read -r wgetrc_line <"$wgetrc"; } 2>/dev/null
`+`  if [ "$wgetrc_line" != "header = Authorization: Bearer $key" ]; then
`+`    wgetrc=$ram/wgetrc.$$
`+`    write "$wgetrc" "header = Authorization: Bearer $key" || { rm -f "$wgetrc"; return 0; }
`+`  fi
`+`  wget "--config=$wgetrc" -q --save-headers --content-on-error --tries=1 --timeout=20 --max-redirect=0 \\
`+`    "--user-agent=$agent" --header='\\''Accept: application/json'\\'' "--method=$method" "$@" -O - "$url" 2>/dev/null
`+`  wget_exit=$?
`+`  [ "$wgetrc" = "$ram/wgetrc" ] || shred_files "$wgetrc"
`+`  raw "\${newline}exit $wget_exit"
`+`}
`+`
`+`by_python='\\''
`+`import http.client, signal, socket, ssl, sys
`+`from urllib.parse import urlsplit
`+`signal.alarm(25)
`+`method, url, ca, agent, body = sys.argv[1:]
`+`headers = {"Authorization": "Bearer " + sys.stdin.readline().strip(), "Accept": "application/json", "User-Agent": agent}
`+`if body:
`+`    headers["Content-Type"] = "application/json"
`+`try:
`+`    to = urlsplit(url)
`+`    if to.scheme == "https":
`+`        trust = ssl.create_default_context(cafile=ca or None)
`+`        door = http.client.HTTPSConnection(to.hostname, to.port, timeout=20, context=trust)
`+`    else:
`+`        door = http.client.HTTPConnection(to.hostname, to.port, timeout=20)
`+`    door.request(method, to.path, body or None, headers)
`+`    answer = door.getresponse()
`+`    head = ["HTTP/1.1 %d -" % answer.status] + ["%s: %s" % pair for pair in answer.getheaders()]
`+`    sys.stdout.buffer.write(("\\n".join(head) + "\\n\\n").encode("latin-1") + answer.read(65536))
`+`except socket.gaierror:
`+`    sys.exit(6)
`+`except ssl.SSLError:
`+`    sys.exit(60)
`+`except socket.timeout:
`+`    sys.exit(28)
`+`except http.client.HTTPException:
`+`    sys.exit(52)
`+`except OSError:
`+`    sys.exit(7)
`+`'\\''
`+`
`+`ask_by_python() {
`+`  method=$1 url=$2 key=$3
`+`  shift 3
`+`  raw "$key" | python3 -I -c "$by_python" "$method" "$url" "$ca" "$agent" "\${1:-}" 2>/dev/null
`+`  raw "\${newline}exit $?"
`+`}
`+`
`+`split_answer() {
`+`  tool_exit='\\'''\\''
`+`  case $answer in
`+`    *"\${newline}exit "*)
`+'      tool_exit=${answer##*"${newline}exit "}\n'+'      answer=${answer%"${newline}exit "*}\n'+`      ;;
`+`  esac
`+`  head='\\'''\\'' body='\\'''\\''
`+`  while :; do
`+`    case $answer in HTTP/*) ;; *) break ;; esac
`+`    head=\${answer%%"$newline$newline"*}
`+`    case $answer in *"$newline$newline"*) body=\${answer#*"$newline$newline"} ;; *) body='\\'''\\'' ;; esac
`+`    status_line=\${head%%"$newline"*}
`+`    code=\${status_line#* }
`+`    code=\${code%% *}
`+`    case $status_line in *'\\'' 1'\\''[0-9][0-9]* | *onnection\\ established*) code='\\'''\\'' answer=$body ;; *) break ;; esac
`+`  done
`+`  if [ "$tool" = wget ] && [ -z "$code" ] && [ "$tool_exit" = 0 ]; then code=204; fi
`+`  while [ -n "$head" ]; do
`+`    header=\${head%%"$newline"*}
`+`    case $header in
`+`      [Cc]ontent-[Tt]ype:*) media=\${header#*:} ;;
`+"      [Rr]etry-[Aa]fter:*) retry_after=${header#*:} retry_after=${retry_after# } ;;\n"+`    esac
`+`    case $head in *"$newline"*) head=\${head#*"$newline"} ;; *) head='\\'''\\'' ;; esac
`+`  done
`+`  [ -z "$body" ] || flat=$(raw "$body" | tr -d '\\'' \\t\\n'\\'')
`+`}
`+`
`+`name_answer() {
`+`  case $code in
`+`    2[0-9][0-9]) case $media in *html*) word=html ;; *) word=ok ;; esac ;;
`+`    404) if says_absent; then word=absent; else word=404-unclear; fi ;;
`+`    [1-5][0-9][0-9]) word=$code ;;
`+`    *) word_of_exit ;;
`+`  esac
`+`}
`+`
`+`says_absent() {
`+`  case $media in *application/problem+json*) ;; *) return 1 ;; esac
`+`  case $flat in *'\\''"detail":"'\\''[!\\"]*) ;; *) return 1 ;; esac
`+`  detail=\${flat#*'\\''"detail":"'\\''}
`+`  case \${detail%%\\"*} in
`+`    *[Pp]ath* | *[Rr]oute* | *[Ee]ndpoint* | *[Uu][Rr][Ll]* | *[Pp]age*) return 1 ;;
`+`    *ccess* | *ermission* | *enied* | *orbidden* | *uthori[sz]* | *navailable* | *aintenance* | *emporar* | *uspend* | *isabled*) return 1 ;;
`+`    *hasmoved* | *wasmoved*) return 1 ;;
`+`    *[Pp]od* | *[Rr]esource* | [Nn]ot[Ff]ound | [Nn]ot[Ff]ound.) ;;
`+`    *) return 1 ;;
`+`  esac
`+`  case $flat in '\\''{'\\''*'\\''"status":404'\\''[,}]*'\\''}'\\'' | '\\''{'\\''*'\\''"status":404}'\\'') ;; *) return 1 ;; esac
`+`}
`+`
`+`word_of_exit() {
`+`  case $tool-$tool_exit in
`+`    curl-6 | python3-6) word=no-such-host ;;
`+`    curl-7 | wget-4 | python3-7) word=no-connection ;;
`+`    curl-28 | python3-28 | python3-142) word=timed-out ;;
`+`    curl-35 | curl-5[189] | curl-60 | curl-66 | curl-77 | curl-83 | wget-5 | python3-60) word=tls-failed ;;
`+`    *) word=no-answer-$tool_exit ;;
`+`  esac
`+`}
`+`
`+`graphql() {
`+`  http POST "$graphql" "$1" "$2"
`+`  [ "$code" = 200 ] || return 0
`+`  case $media in *json*) ;; *) word=not-json && return 0 ;; esac
`+`  case $flat in
`+`    *'\\''"errors"'\\''*[Uu]nauthorized*) word=unauthorized ;;
`+`    *'\\''"errors"'\\''*POD_NOT_FOUND* | *'\\''"errors"'\\''*notfound*) word=not-found ;;
`+`    *'\\''"errors"'\\''*) word=errors ;;
`+`    '\\''{"data":{'\\''*'\\''}}'\\'') word=ok ;;
`+`    *) word=odd ;;
`+`  esac
`+`}
`+`
`+`end_request() { raw "{\\"query\\":\\"mutation { podTerminate(input: {podId: \\\\\\"$1\\\\\\"}) }\\"}"; }
`+`read_request() { raw "{\\"query\\":\\"query { pod(input: {podId: \\\\\\"$1\\\\\\"}) { id desiredStatus } }\\"}"; }
`+`
`+`injected_key() {
`+`  key=$({ tr '\\''\\000'\\'' '\\''\\n'\\'' <"$root/proc/1/environ"; } 2>/dev/null | sed -n '\\''s/^RUNPOD_API_KEY=//p'\\'' | head -n 1)
`+`  if ! usable_key "$key"; then
`+`    key=$(sed -n '\\''s/^export RUNPOD_API_KEY="\\{0,1\\}\\([^"]*\\)"\\{0,1\\}$/\\1/p'\\'' "$root/etc/rp_environment" 2>/dev/null | head -n 1)
`+`  fi
`+`  usable_key "$key" || { key='\\'''\\'' && return 1; }
`+`}
`+`
`+`usable_key() {
`+`  case $1 in '\\'''\\'' | *[!A-Za-z0-9._~+/=-]*) return 1 ;; esac
`+'  [ "${#1}" -ge 4 ] && [ "${#1}" -le 512 ]\n'+`}
`+`fire_try() {
`+`  told='\\'''\\'' tried_key='\\'''\\''
`+`  find_tool
`+`  { read -r key <"$ram/credential"; } 2>/dev/null || key='\\'''\\''
`+`  if usable_key "$key"; then
`+`    attempt "$key_source" && return 0
`+`    tried_key=$key
`+`  fi
`+`  if unheeded && injected_key && [ "$key" != "$tried_key" ]; then
`+`    attempt injected && return 0
`+`  fi
`+`  if unheeded && command -v runpodctl >/dev/null 2>&1; then by_runpodctl; fi
`+`  return 1
`+`}
`+`
`+`unheeded() { [ -z "$accepted" ] || [ "$tries" -gt 3 ]; }
`+`
`+`attempt() {
`+`  attempt_key=$key
`+`  beat "$revision"
`+`  http DELETE "$rest/v2/pods/$pod_id" "$attempt_key"
`+`  weigh_acceptance
`+`  told="$told key=$1 delete=$word"
`+`  if [ "$word" = ok ]; then
`+`    accept
`+`  else
`+`    beat "$revision"
`+`    graphql "$attempt_key" "$(end_request "$pod_id")"
`+`    if [ "$word" = ok ]; then
`+`      case $flat in '\\''{"data":{"podTerminate":null}}'\\'') accept ;; *) word=odd ;; esac
`+`    fi
`+`    told="$told graphql=$word"
`+`  fi
`+`  [ -n "$accepted" ] && look "$attempt_key"
`+`}
`+`
`+`weigh_acceptance() {
`+`  [ "$word" = ok ] || return 0
`+`  case $flat in
`+`    '\\'''\\'') ;;
`+`    '\\''{'\\''*'\\''"error":'\\''[!n]* | '\\''{'\\''*'\\''"errors":'\\''[!n[]* | '\\''{'\\''*'\\''"errors":['\\''[!]]* | '\\''{'\\''*'\\''"success":false'\\''*) word=errors ;;
`+`    '\\''{'\\''*'\\''}'\\'') ;;
`+`    *) word=odd ;;
`+`  esac
`+`}
`+`
`+`accept() {
`+`  accepted=yes
`+`  remember accepted
`+`}
`+`
`+`look() {
`+`  beat "$revision"
`+`  http GET "$rest/v2/pods/$pod_id" "$1"
`+`  if [ "$word" = ok ]; then read_status '\\''"status":"'\\''; fi
`+`  told="$told read=$word"
`+`  case $word in
`+`    absent | TERMINATED) return 0 ;;
`+`    [A-Z]*) return 1 ;;
`+`  esac
`+`  beat "$revision"
`+`  graphql "$1" "$(read_request "$pod_id")"
`+`  if [ "$word" = ok ]; then
`+`    case $flat in '\\''{"data":{"pod":null}}'\\'') word=absent ;; *) read_status '\\''"desiredStatus":"'\\'' ;; esac
`+`  fi
`+`  told="$told read-graphql=$word"
`+`  case $word in absent | TERMINATED) return 0 ;; esac
`+`  return 1
`+`}
`+`
`+`read_status() {
`+`  word=odd
`+`  case $media in *json*) ;; *) return 0 ;; esac
`+`  case $flat in '\\''{'\\''*"\\"id\\":\\"$pod_id\\""*'\\''}'\\'') ;; *) return 0 ;; esac
`+`  status_rest=$flat
`+`  while :; do
`+`    case $status_rest in *"$1"*) status_rest=\${status_rest#*"$1"} ;; *) break ;; esac
`+`    status_word=\${status_rest%%\\"*}
`+`    case $status_word in '\\'''\\'' | *[!A-Z_]*) word=UNKNOWN && return 0 ;; esac
`+`    word=$status_word
`+`    [ "$word" = TERMINATED ] || return 0
`+`  done
`+`}
`+`
`+`by_runpodctl() {
`+`  beat "$revision"
`+`  runpodctl remove pod "$pod_id" </dev/null >/dev/null 2>&1 || runpodctl pod delete "$pod_id" </dev/null >/dev/null 2>&1
`+`  told="$told runpodctl=exit-$?"
`+`}
`+`
`+`conclude() {
`+`  note "gone: proven, key destroyed"
`+`  shred_files "$ram/credential" "$ram/wgetrc" "$ram"/wgetrc.*
`+`  remember gone
`+`}
`+`
`+`advance() {
`+`  if clock && [ "$now" -ge "$latest" ]; then latest=$now; else latest=$((latest + tick)); fi
`+`  now=$latest
`+`}
`+`
`+`sign_of_life() {
`+`  if [ "$life" -lt "$set_at" ]; then life=$set_at; fi
`+`  [ "$now" -ge $((life + window / 2)) ] && heartbeat_age "$heartbeat_file" || return 0
`+`  if [ $((now - age)) -gt "$life" ]; then life=$((now - age)); fi
`+`}
`+`
`+`due() {
`+`  why='\\'''\\''
`+`  if [ "$now" -ge "$stop" ]; then
`+`    if [ "$stop" -ge "$absolute" ]; then why=absolute; else why=stop; fi
`+`  elif [ "$window" -gt 0 ]; then
`+`    sign_of_life
`+`    if [ "$now" -ge $((life + window)) ]; then why=pet-window; fi
`+`  fi
`+`  [ -n "$why" ]
`+`}
`+`
`+`fire() {
`+`  if [ -z "$fired_at" ]; then
`+`    fired_at=$now
`+`    replace "$ram/fired" "$now $why ."
`+`    note "fired: $why"
`+`  fi
`+`  [ "$now" -ge "$next_try" ] || return 0
`+`  tries=$((tries + 1)) slow_down=0
`+`  if fire_try; then proven=yes; else proven=no; fi
`+`  if [ "$slow_down" -gt 0 ]; then told="$told retry-after=$slow_down"; fi
`+`  note "try $tries:$told"
`+`  replace "$ram/tries" "$tries$told"
`+`  if [ "$proven" = yes ]; then
`+`    conclude
`+`    return 0
`+`  fi
`+`  advance
`+`  wait_now=$pause_now
`+`  if [ "$slow_down" -gt "$wait_now" ]; then wait_now=$slow_down; fi
`+`  if [ "$wait_now" -gt "$backoff_last" ]; then wait_now=$backoff_last; fi
`+`  next_try=$((now + wait_now)) pause_now=$((pause_now * 2))
`+`  if [ "$pause_now" -gt "$backoff_last" ]; then pause_now=$backoff_last; fi
`+`}
`+`
`+`resume() {
`+`  fired_at='\\'''\\'' why='\\'''\\'' accepted='\\'''\\'' tries=0 next_try=0 life=0 pause_now=$backoff_first
`+`  if { read -r fired_at why fired_rest <"$ram/fired"; } 2>/dev/null; then whole "$fired_at" || fired_at=0; fi
`+`  if { read -r tries fired_rest <"$ram/tries"; } 2>/dev/null; then whole "$tries" && tries=$number || tries=0; fi
`+`  if [ -e "$ram/accepted" ]; then accepted=yes; fi
`+`}
`+`
`+`settle_in
`+`ram=$1 role=watchdog
`+`read_conf && read_limits || exit 1
`+`trap '\\'''\\'' HUP
`+`trap : USR1
`+`latest=$set_at
`+`resume
`+`take_seat
`+`cd / || :
`+`while on_duty; do
`+`  advance
`+`  read_limits
`+`  if [ -z "$fired_at" ]; then extend_if_alive; fi
`+`  if [ -n "$fired_at" ] || due; then fire; fi
`+`  beat "$revision"
`+`  mind supervisor
`+`  rest_a_tick
`+`done'
`+`supervisor_text='root=\${PODTRACK_ROOT:-}
`+`newline='\\''
`+`'\\''
`+`longest_span=2678400
`+`
`+`settle_in() {
`+`  set +e +u +f +x +v +C
`+`  umask 077
`+`  LC_ALL=C
`+`  export LC_ALL
`+`}
`+`
`+`if [ -n "\${KSH_VERSION:-}" ] && [ "$(command -v print)" = print ]; then
`+`  raw() { print -r -- "$1"; }
`+`else
`+`  raw() { printf '\\''%s\\n'\\'' "$1"; }
`+`fi
`+`
`+`whole() {
`+`  number=$1
`+`  case $number in '\\'''\\'' | *[!0-9]*) return 1 ;; esac
`+`  while :; do
`+`    case $number in
`+`      0?*) number=\${number#0} ;;
`+`      *) break ;;
`+`    esac
`+`  done
`+`  [ "\${#number}" -le 9 ]
`+`}
`+`
`+`span() { whole "$1" && [ "$number" -le "$longest_span" ]; }
`+`
`+`clock() {
`+`  for clock_file in "$root/proc/uptime" /proc/uptime; do
`+`    { read -r now clock_rest <"$clock_file"; } 2>/dev/null || continue
`+`    whole "\${now%%.*}" || continue
`+`    now=$number
`+`    return 0
`+`  done
`+`  now='\\'''\\''
`+`  return 1
`+`}
`+`
`+`identity() {
`+`  born='\\'''\\'' gait='\\'''\\''
`+`  whole "$1" || return 1
`+`  for stat_file in "$root/proc/$1/stat" "/proc/$1/stat"; do
`+`    { read -r stat_line <"$stat_file"; } 2>/dev/null || continue
`+`    set -- \${stat_line##*) }
`+`    [ "$#" -ge 20 ] || continue
`+`    gait=$1
`+`    born=\${20}
`+`    return 0
`+`  done
`+`  return 1
`+`}
`+`
`+`living() {
`+`  identity "$1" && [ "$born" = "$2" ] || return 1
`+`  case $gait in Z | X | x) return 1 ;; esac
`+`}
`+`
`+`pause() { sleep 0.1 2>/dev/null || sleep 1; }
`+`memory_places='\\''/dev/shm /run /tmp'\\''
`+`
`+`in_memory() {
`+`  why_not=not-mounted mount_options='\\'''\\''
`+`  mount_table=$root/proc/mounts
`+`  [ -r "$mount_table" ] || mount_table=/proc/mounts
`+`  while read -r mount_source mount_place mount_kind mount_options mount_rest; do
`+`    [ "$mount_place" = "$1" ] || continue
`+`    case $mount_kind in tmpfs | ramfs) why_not='\\'''\\'' ;; *) why_not=not-memory ;; esac
`+`    case ",$mount_options," in *,ro,*) why_not=read-only ;; esac
`+`  done <"$mount_table"
`+`  [ -z "$why_not" ]
`+`}
`+`
`+`own() { [ -d "$1" ] && [ ! -h "$1" ] && [ -O "$1" ]; }
`+`
`+`find_ram() {
`+`  ram='\\'''\\''
`+`  for place in $memory_places; do
`+`    [ -f "$root$place/podtrack/mark" ] || continue
`+`    own "$root$place/podtrack" || continue
`+`    ram=$root$place/podtrack
`+`    return 0
`+`  done
`+`  return 1
`+`}
`+`
`+`open_ram() {
`+`  ram='\\'''\\''
`+`  in_memory "$1" || return 1
`+`  why_not=not-writable
`+`  mkdir "$root$1/podtrack" 2>/dev/null || [ -d "$root$1/podtrack" ] || return 1
`+`  why_not=not-ours
`+`  own "$root$1/podtrack" || return 1
`+`  chmod 700 "$root$1/podtrack" 2>/dev/null || return 1
`+`  ram=$root$1/podtrack why_not='\\'''\\''
`+`}
`+`
`+`write() {
`+`  { raw "$2" >"$1"; } 2>/dev/null && [ "$(cat "$1" 2>/dev/null)" = "$2" ]
`+`}
`+`
`+`replace() {
`+`  renew "$1" "$2" && return 0
`+`  if [ -f "$1" ] && { raw "$2" 1<>"$1"; } 2>/dev/null; then return 0; fi
`+`  while make_room; do
`+`    renew "$1" "$2" && return 0
`+`  done
`+`  return 1
`+`}
`+`
`+`make_room() {
`+`  for spare in "$ram/reserve" "$ram"/spare.[0-9]; do
`+`    [ -f "$spare" ] && rm -f "$spare" && return 0
`+`  done
`+`  return 1
`+`}
`+`
`+`remember() {
`+`  { true >"$ram/$1"; } 2>/dev/null && return 0
`+`  while make_room; do
`+`    { true >"$ram/$1"; } 2>/dev/null && return 0
`+`  done
`+`  return 1
`+`}
`+`
`+`renew() {
`+`  if write "$1.$$" "$2" && mv -f "$1.$$" "$1" 2>/dev/null; then return 0; fi
`+`  rm -f "$1.$$"
`+`  return 1
`+`}
`+`
`+`shred_files() {
`+`  for shredded in "$@"; do
`+`    [ -f "$shredded" ] || continue
`+`    dd if=/dev/zero of="$shredded" bs=1024 count=1 conv=notrunc 2>/dev/null
`+`    rm -f "$shredded"
`+`  done
`+`}
`+`most_ahead=120
`+`
`+`two() {
`+`  case $1 in [0-9][0-9]) whole "$1" && [ "$number" -le "$2" ] ;; *) return 1 ;; esac
`+`}
`+`
`+`epoch_of() {
`+`  case $1 in
`+`    [0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9][Tt\\ ][0-9][0-9]:[0-9][0-9]:[0-9][0-9]?*) ;;
`+`    *) return 1 ;;
`+`  esac
`+`  zone=\${1#???????????????????}
`+`  case $zone in
`+'    .[0-9]*) zone=${zone#.} zone=${zone#"${zone%%[!0-9]*}"} ;;\n'+`  esac
`+`  field=$1
`+'  whole "${field%%-*}" && year=$number && field=${field#*-} || return 1\n'+`  [ "$year" -ge 1970 ] && [ "$year" -le 2100 ] || return 1
`+'  two "${field%%-*}" 12 && month=$number && field=${field#*-} || return 1\n'+'  two "${field%"${field#??}"}" 31 && day=$number && field=${field#???} || return 1\n'+`  [ "$month" -ge 1 ] && [ "$day" -ge 1 ] || return 1
`+`  case $month in
`+`    2) if [ $((year % 4)) -eq 0 ] && { [ $((year % 100)) -ne 0 ] || [ $((year % 400)) -eq 0 ]; }; then last=29; else last=28; fi ;;
`+`    4 | 6 | 9 | 11) last=30 ;;
`+`    *) last=31 ;;
`+`  esac
`+`  [ "$day" -le "$last" ] || return 1
`+'  two "${field%%:*}" 23 && hour=$number && field=${field#*:} || return 1\n'+'  two "${field%%:*}" 59 && minute=$number && field=${field#*:} || return 1\n'+'  two "${field%"${field#??}"}" 60 && second=$number || return 1\n'+`  zone_seconds "$zone" || return 1
`+`  if [ "$month" -le 2 ]; then year=$((year - 1)) month=$((month + 12)); fi
`+`  days=$((365 * year + year / 4 - year / 100 + year / 400 + (153 * (month - 3) + 2) / 5 + day - 1 - 719468))
`+`  epoch=$((days * 86400 + hour * 3600 + minute * 60 + second - east))
`+`}
`+`
`+`zone_seconds() {
`+`  east=0
`+`  case $1 in
`+`    Z | z) return 0 ;;
`+`    [+-][0-9][0-9]:[0-9][0-9] | [+-][0-9][0-9][0-9][0-9]) ;;
`+`    *) return 1 ;;
`+`  esac
`+`  zone_digits=\${1#?}
`+'  two "${zone_digits%"${zone_digits#??}"}" 23 && east=$((number * 3600)) || return 1\n'+'  two "${zone_digits#"${zone_digits%??}"}" 59 && east=$((east + number * 60)) || return 1\n'+`  case $1 in -*) east=$((0 - east)) ;; esac
`+`}
`+`
`+`moment() {
`+`  case $1 in '\\'''\\'' | 0?* | *[!0-9]* | [5-9]????????? | ???????????*) return 1 ;; esac
`+`}
`+`
`+`wall_clock() {
`+`  wall=$(date +%s 2>/dev/null)
`+`  moment "$wall" || { wall='\\'''\\'' && return 1; }
`+`}
`+`
`+`modified() {
`+`  mtime=$(stat -L -c %Y "$1" 2>/dev/null) || mtime=$(date -r "$1" +%s 2>/dev/null) || mtime='\\'''\\''
`+`  moment "$mtime" || { mtime='\\'''\\'' && return 1; }
`+`}
`+`
`+`first_words() {
`+`  words='\\'''\\''
`+`  [ -f "$1" ] && words=$(dd if="$1" bs=64 count=1 2>/dev/null | tr '\\''\\n'\\'' '\\''#'\\'' | tr -cd '\\''0-9TtZz:.+ #-'\\'')
`+`  words=\${words%%#*}
`+'  words=${words#"${words%%[! ]*}"} words=${words%"${words##*[! ]}"}\n'+`}
`+`
`+`heartbeat_age() {
`+`  age='\\'''\\''
`+`  [ -f "$1" ] && wall_clock || return 1
`+`  first_words "$1"
`+`  if epoch_of "$words"; then believe "$((wall - epoch))"; fi
`+`  if modified "$1"; then believe "$((wall - mtime))"; fi
`+`  [ -n "$age" ]
`+`}
`+`
`+`believe() {
`+`  [ "$1" -ge "-$most_ahead" ] || return 0
`+`  if [ -z "$age" ] || [ "$1" -lt "$age" ]; then age=$1; fi
`+`  [ "$age" -ge 0 ] || age=0
`+`}
`+`read_conf() {
`+`  pod_id='\\'''\\'' rest='\\'''\\'' graphql='\\'''\\'' heartbeat_file='\\'''\\'' key_source='\\'''\\'' ca='\\'''\\''
`+`  pull_margin='\\'''\\'' pet_min='\\'''\\'' hb_grace='\\'''\\'' tick='\\'''\\'' backoff_first='\\'''\\'' backoff_last='\\'''\\'' stuck_after='\\'''\\''
`+`  [ -r "$ram/conf" ] || return 1
`+`  while read -r conf_line; do
`+`    conf_value=\${conf_line#*=}
`+`    case \${conf_line%%=*} in
`+`      pod_id) pod_id=$conf_value ;;
`+`      rest) rest=$conf_value ;;
`+`      graphql) graphql=$conf_value ;;
`+`      heartbeat_file) heartbeat_file=$conf_value ;;
`+`      key_source) key_source=$conf_value ;;
`+`      ca) ca=$conf_value ;;
`+`      pull_margin) span "$conf_value" && pull_margin=$number ;;
`+`      pet_min) span "$conf_value" && pet_min=$number ;;
`+`      hb_grace) span "$conf_value" && hb_grace=$number ;;
`+`      tick) span "$conf_value" && tick=$number ;;
`+`      backoff_first) span "$conf_value" && backoff_first=$number ;;
`+`      backoff_last) span "$conf_value" && backoff_last=$number ;;
`+`      stuck_after) span "$conf_value" && stuck_after=$number ;;
`+`    esac
`+`  done <"$ram/conf"
`+`  for conf_value in "$pod_id" "$rest" "$graphql" "$pull_margin" "$pet_min" "$hb_grace" \\
`+`    "$tick" "$backoff_first" "$backoff_last" "$stuck_after"; do
`+`    [ -n "$conf_value" ] || return 1
`+`  done
`+`  [ "$tick" -ge 1 ]
`+`}
`+`
`+`write_deadline() {
`+`  clock || return 1
`+`  revision=$now-$$
`+`  replace "$ram/deadline" "$((now + $1)) $((now + $2)) $((now + $3)) $4 $5 $now $revision ."
`+`}
`+`
`+`read_deadline() {
`+`  { read -r d_stop d_owner d_absolute d_allowed d_window d_set d_revision d_end <"$ram/deadline"; } 2>/dev/null || return 1
`+`  [ "$d_end" = . ] || return 1
`+`  for d_number in "$d_stop" "$d_owner" "$d_absolute" "$d_allowed" "$d_window" "$d_set"; do
`+`    whole "$d_number" && [ "$number" = "$d_number" ] || return 1
`+`  done
`+`  [ "$d_stop" -le $((d_set + longest_span)) ] && [ "$d_absolute" -le $((d_set + longest_span)) ] || return 1
`+`  set_stop=$d_stop set_owner=$d_owner absolute=$d_absolute allowed=$d_allowed window=$d_window set_at=$d_set
`+`  revision=$d_revision
`+`}
`+`
`+`read_limits() {
`+`  read_deadline || return 1
`+`  granted=0
`+`  if { read -r g_revision g_count g_end <"$ram/grant"; } 2>/dev/null && [ "$g_revision $g_end" = "$revision ." ]; then
`+`    whole "$g_count" && [ "$number" -le "$allowed" ] && granted=$number
`+`  fi
`+`  owner=$((set_owner + granted * pet_min)) stop=$set_stop
`+`  if [ "$granted" -gt 0 ] && [ "$((owner + pull_margin))" -gt "$stop" ]; then stop=$((owner + pull_margin)); fi
`+`  if [ "$owner" -gt "$absolute" ]; then owner=$absolute; fi
`+`  if [ "$stop" -gt "$absolute" ]; then stop=$absolute; fi
`+`}
`+`
`+`extend_if_alive() {
`+`  while [ "$now" -ge "$owner" ] && [ "$granted" -lt "$allowed" ] && [ "$owner" -lt "$absolute" ]; do
`+`    heartbeat_age "$heartbeat_file" && [ "$age" -le "$hb_grace" ] || return 0
`+`    replace "$ram/grant" "$revision $((granted + 1)) ." || return 0
`+`    read_limits || return 0
`+`    note "extended $granted of $allowed: heartbeat $age s old, stops in $((stop - now)) s"
`+`  done
`+`}
`+`
`+`note() {
`+`  wall_clock
`+'  { raw "${wall:-?} ${now:-?} $1" >>"$ram/record"; } 2>/dev/null\n'+`  noted=$((\${noted:-0} + 1))
`+`  [ $((noted % 50)) -eq 0 ] || return 0
`+`  { tail -n 200 "$ram/record" >"$ram/record.$$" && mv -f "$ram/record.$$" "$ram/record"; } 2>/dev/null
`+`}
`+`seated() {
`+`  { read -r seat_pid seat_born seat_rest <"$ram/$1.pid"; } 2>/dev/null && living "$seat_pid" "$seat_born"
`+`}
`+`
`+`take_seat() {
`+`  if [ -e "$ram/off" ] || [ -e "$ram/gone" ] || seated "$role"; then exit 0; fi
`+`  identity "$$" || exit 1
`+`  own_seat="$$ $born"
`+`  replace "$ram/$role.pid" "$own_seat" || exit 1
`+`  { echo -900 >"/proc/$$/oom_score_adj"; } 2>/dev/null
`+`  turn=0 still=0 turn_before='\\'''\\''
`+`}
`+`
`+`on_duty() {
`+`  if [ -e "$ram/off" ] || [ -e "$ram/gone" ]; then return 1; fi
`+`  { read -r seat_pid seat_born seat_rest <"$ram/$role.pid"; } 2>/dev/null && [ "$seat_pid $seat_born" = "$own_seat" ]
`+`}
`+`
`+`beat() {
`+`  turn=$((turn + 1))
`+`  { raw "$turn \${1:--}" 1<>"$ram/$role.beat"; } 2>/dev/null
`+`}
`+`
`+`mind() {
`+`  if seated "$1"; then
`+`    turn_seen='\\'''\\''
`+`    { read -r turn_seen beat_rest <"$ram/$1.beat"; } 2>/dev/null
`+`    if [ -z "$turn_seen" ] || [ "$turn_seen" != "$turn_before" ]; then still=0; else still=$((still + tick)); fi
`+`    turn_before=$turn_seen
`+`    [ "$still" -ge "$stuck_after" ] || return 0
`+`    note "$1 does not turn any more: killed"
`+`    kill -KILL "$seat_pid" 2>/dev/null
`+`  else
`+`    note "$1 is gone: started again"
`+`  fi
`+`  still=0
`+`  start "$1"
`+`}
`+`
`+`start() {
`+`  if command -v setsid >/dev/null 2>&1; then
`+`    setsid sh "$ram/$1" "$ram" </dev/null >/dev/null 2>&1 &
`+`  else
`+`    (trap '\\'''\\'' HUP INT QUIT && exec sh "$ram/$1" "$ram") </dev/null >/dev/null 2>&1 &
`+`  fi
`+`}
`+`
`+`rest_a_tick() {
`+`  sleep "$tick" &
`+`  wait "$!"
`+`}
`+`
`+`settle_in
`+`ram=$1 role=supervisor
`+`read_conf || exit 1
`+`trap '\\'''\\'' HUP
`+`take_seat
`+`cd / || :
`+`while on_duty; do
`+`  clock
`+`  beat
`+`  mind watchdog
`+`  rest_a_tick
`+`done'
`+`job_text='#!/bin/sh
`+`
`+`root=\${PODTRACK_ROOT:-}
`+`newline='\\''
`+`'\\''
`+`longest_span=2678400
`+`
`+`settle_in() {
`+`  set +e +u +f +x +v +C
`+`  umask 077
`+`  LC_ALL=C
`+`  export LC_ALL
`+`}
`+`
`+`if [ -n "\${KSH_VERSION:-}" ] && [ "$(command -v print)" = print ]; then
`+`  raw() { print -r -- "$1"; }
`+`else
`+`  raw() { printf '\\''%s\\n'\\'' "$1"; }
`+`fi
`+`
`+`whole() {
`+`  number=$1
`+`  case $number in '\\'''\\'' | *[!0-9]*) return 1 ;; esac
`+`  while :; do
`+`    case $number in
`+`      0?*) number=\${number#0} ;;
`+`      *) break ;;
`+`    esac
`+`  done
`+`  [ "\${#number}" -le 9 ]
`+`}
`+`
`+`span() { whole "$1" && [ "$number" -le "$longest_span" ]; }
`+`
`+`clock() {
`+`  for clock_file in "$root/proc/uptime" /proc/uptime; do
`+`    { read -r now clock_rest <"$clock_file"; } 2>/dev/null || continue
`+`    whole "\${now%%.*}" || continue
`+`    now=$number
`+`    return 0
`+`  done
`+`  now='\\'''\\''
`+`  return 1
`+`}
`+`
`+`identity() {
`+`  born='\\'''\\'' gait='\\'''\\''
`+`  whole "$1" || return 1
`+`  for stat_file in "$root/proc/$1/stat" "/proc/$1/stat"; do
`+`    { read -r stat_line <"$stat_file"; } 2>/dev/null || continue
`+`    set -- \${stat_line##*) }
`+`    [ "$#" -ge 20 ] || continue
`+`    gait=$1
`+`    born=\${20}
`+`    return 0
`+`  done
`+`  return 1
`+`}
`+`
`+`living() {
`+`  identity "$1" && [ "$born" = "$2" ] || return 1
`+`  case $gait in Z | X | x) return 1 ;; esac
`+`}
`+`
`+`pause() { sleep 0.1 2>/dev/null || sleep 1; }
`+`
`+`[ "\${1:-}" != -- ] || shift
`+`if [ "$#" -eq 0 ]; then
`+`  raw '\\''usage: podtrack-job -- COMMAND [ARGUMENT...]'\\'' >&2
`+`  exit 2
`+`fi
`+`
`+`file=\${HOME:-$root/root}/.podtrack_job_alive
`+`every=\${PODTRACK_JOB_BEAT:-60}
`+`whole "$every" && [ "$number" -ge 1 ] && [ "$number" -le 600 ] || number=60
`+`every=$number
`+`step=$((every < 5 ? every : 5))
`+`
`+`heart() {
`+`  due=0
`+`  while living "$1" "$2"; do
`+`    case $gait in T | t) ;; *)
`+`      if [ "$due" -le 0 ]; then
`+`        { date -u +%Y-%m-%dT%H:%M:%SZ >"$file.$1" && mv -f "$file.$1" "$file"; } 2>/dev/null || rm -f "$file.$1"
`+`        due=$every
`+`      fi
`+`      ;;
`+`    esac
`+`    sleep "$step"
`+`    due=$((due - step))
`+`  done
`+`}
`+`
`+`if identity "$$"; then
`+`  (settle_in && trap '\\'''\\'' HUP INT QUIT && cd / && heart "$$" "$born") </dev/null >/dev/null 2>&1 &
`+`else
`+`  raw '\\''podtrack-job: no /proc, so no heartbeat'\\'' >&2
`+`fi
`+`exec "$@"'
`+`
`+`check_rest() {
`+`  plain "\${w_pod_id:-}" || refuse bad-pod_id
`+`  case $w_pod_id in *[!A-Za-z0-9_-]*) refuse bad-pod_id ;; esac
`+`  plain "\${w_registry_id:-}" || refuse bad-registry_id
`+`  plain "\${w_owner_uuid:-}" || refuse bad-owner_uuid
`+`  plain "\${w_rest:-}" || refuse bad-rest
`+`  plain "\${w_graphql:-}" || refuse bad-graphql
`+`  case $w_rest$w_graphql in *@* | *'#'*) refuse bad-address ;; esac
`+`  case $w_rest in http://* | https://*) ;; *) refuse bad-rest ;; esac
`+`  case $w_graphql in http://* | https://*) ;; *) refuse bad-graphql ;; esac
`+`  case \${w_ca:-default} in
`+`    default) w_ca='' ;;
`+`    /*) plain "$w_ca" && [ -s "$w_ca" ] || refuse bad-ca ;;
`+`    *) refuse bad-ca ;;
`+`  esac
`+`  span "\${w_pull_margin:-}" || refuse bad-pull_margin
`+`  w_pull_margin=$number
`+`  span "\${w_pet_min:-}" && [ "$number" -ge 1 ] || refuse bad-pet_min
`+`  w_pet_min=$number
`+`  span "\${w_hb_grace:-}" && [ "$number" -ge 1 ] || refuse bad-hb_grace
`+`  w_hb_grace=$number
`+`  knob tick 3 60
`+`  w_tick=$number
`+`  knob backoff_first 5 120
`+`  w_backoff_first=$number
`+`  knob backoff_last 120 600
`+`  w_backoff_last=$number
`+`  knob stuck_after 90 3600
`+`  w_stuck_after=$number
`+`}
`+`
`+`knob() {
`+`  case $1 in
`+`    tick) knob_value=\${w_tick:-} ;;
`+`    backoff_first) knob_value=\${w_backoff_first:-} ;;
`+`    backoff_last) knob_value=\${w_backoff_last:-} ;;
`+`    stuck_after) knob_value=\${w_stuck_after:-} ;;
`+`  esac
`+`  span "\${knob_value:-$2}" && [ "$number" -ge 1 ] && [ "$number" -le "$3" ] || refuse "bad-$1"
`+`}
`+`
`+`staged='watchdog supervisor conf mark credential wgetrc reserve spare.1 spare.2 spare.3 spare.4'
`+`
`+`stage() {
`+`  if write "$ram/watchdog.new" "$watchdog_text" &&
`+`    write "$ram/supervisor.new" "$supervisor_text" &&
`+`    write "$ram/conf.new" "$conf_text" &&
`+`    write "$ram/mark.new" "$mark_text" &&
`+`    write "$ram/reserve.new" "$watchdog_text" &&
`+`    write "$ram/spare.1.new" '' && write "$ram/spare.2.new" '' && write "$ram/spare.3.new" '' && write "$ram/spare.4.new" '' &&
`+`    write "$ram/credential.new" "$key" &&
`+`    write "$ram/wgetrc.new" "header = Authorization: Bearer $key"; then
`+`    return 0
`+`  fi
`+`  shred_files "$ram/credential.new" "$ram/wgetrc.new"
`+`  for name in $staged; do rm -f "$ram/$name.new"; done
`+`  rmdir "$ram" 2>/dev/null
`+`  why_not=no-room
`+`  return 1
`+`}
`+`
`+`stage_somewhere() {
`+`  not_here=''
`+`  for place in $memory_places; do
`+`    if open_ram "$place" && stage; then return 0; fi
`+`    not_here="$not_here,$place:$why_not"
`+`  done
`+`  ram=''
`+`  return 1
`+`}
`+`
`+`plant_job() {
`+`  for job_place in "$root/usr/local/bin" "\${HOME:-/nowhere}/.local/bin"; do
`+`    mkdir -p "$job_place" 2>/dev/null
`+`    if replace "$job_place/podtrack-job" "$job_text" && chmod 755 "$job_place/podtrack-job" 2>/dev/null; then
`+`      job_tool=$job_place/podtrack-job
`+`      return 0
`+`    fi
`+`  done
`+`  job_tool=absent
`+`}
`+`
`+`replace_old() {
`+`  new_ram=$ram
`+`  while find_ram && [ "$ram" != "$new_ram" ]; do
`+`    shred_files "$ram/credential" "$ram/wgetrc" "$ram"/wgetrc.*
`+`    stand_down || return 1
`+`    rm -rf "$ram"
`+`  done
`+`  ram=$new_ram
`+`  stand_down || return 1
`+`  rm -f "$ram/fired" "$ram/tries" "$ram/grant" "$ram/accepted" "$ram/gone" "$ram/watchdog.beat" "$ram/supervisor.beat"
`+`  for name in $staged; do mv -f "$ram/$name.new" "$ram/$name" || return 1; done
`+`  rm -f "$ram/off"
`+`}
`+`
`+`settle_in
`+`words "$@"
`+`tick=\${w_tick:-3}
`+`check_deadlines
`+`check_rest
`+`find_tool
`+`[ "$tool" != none ] || refuse no-http-tool
`+`clock || refuse clock-unreadable
`+`take_key || [ "$tool" = runpodctl ] || refuse no-key
`+`if [ "$w_key_source" = planted ] && read_conf; then w_key_source=$key_source; fi
`+`conf_text="pod_id=$w_pod_id
`+`rest=$w_rest
`+`graphql=$w_graphql
`+`heartbeat_file=\${HOME:-$root/root}/.podtrack_job_alive
`+`key_source=$w_key_source
`+`ca=$w_ca
`+`pull_margin=$w_pull_margin
`+`pet_min=$w_pet_min
`+`hb_grace=$w_hb_grace
`+`tick=$w_tick
`+`backoff_first=$w_backoff_first
`+`backoff_last=$w_backoff_last
`+`stuck_after=$w_stuck_after"
`+`mark_text="podId=$w_pod_id
`+`registryId=$w_registry_id
`+`ownerUuid=$w_owner_uuid"
`+`stage_somewhere || refuse "no-ram\${not_here}"
`+`replace_old || refuse still-running
`+`read_conf || refuse conf-unreadable
`+`write_deadline "$w_stop_in" "$w_owner_in" "$w_absolute_in" "$w_extensions_left" "$w_pet_window" || refuse no-room
`+`note "installed: stops in $w_stop_in s, tool $tool, authorities \${w_ca:-default}, key $w_key_source"
`+`plant_job
`+`start supervisor
`+`await_act
`+`acted=$?
`+`say job_tool "$job_tool"
`+`say_status
`+`exit "$acted"
`,probe:`# podtrack probe, whole; see on-pod/ for the sources
`+`root=\${PODTRACK_ROOT:-}
`+`newline='
`+`'
`+`longest_span=2678400
`+`
`+`settle_in() {
`+`  set +e +u +f +x +v +C
`+`  umask 077
`+`  LC_ALL=C
`+`  export LC_ALL
`+`}
`+`
`+`if [ -n "\${KSH_VERSION:-}" ] && [ "$(command -v print)" = print ]; then
`+`  raw() { print -r -- "$1"; }
`+`else
`+`  raw() { printf '%s\\n' "$1"; }
`+`fi
`+`
`+`whole() {
`+`  number=$1
`+`  case $number in '' | *[!0-9]*) return 1 ;; esac
`+`  while :; do
`+`    case $number in
`+`      0?*) number=\${number#0} ;;
`+`      *) break ;;
`+`    esac
`+`  done
`+`  [ "\${#number}" -le 9 ]
`+`}
`+`
`+`span() { whole "$1" && [ "$number" -le "$longest_span" ]; }
`+`
`+`clock() {
`+`  for clock_file in "$root/proc/uptime" /proc/uptime; do
`+`    { read -r now clock_rest <"$clock_file"; } 2>/dev/null || continue
`+`    whole "\${now%%.*}" || continue
`+`    now=$number
`+`    return 0
`+`  done
`+`  now=''
`+`  return 1
`+`}
`+`
`+`identity() {
`+`  born='' gait=''
`+`  whole "$1" || return 1
`+`  for stat_file in "$root/proc/$1/stat" "/proc/$1/stat"; do
`+`    { read -r stat_line <"$stat_file"; } 2>/dev/null || continue
`+`    set -- \${stat_line##*) }
`+`    [ "$#" -ge 20 ] || continue
`+`    gait=$1
`+`    born=\${20}
`+`    return 0
`+`  done
`+`  return 1
`+`}
`+`
`+`living() {
`+`  identity "$1" && [ "$born" = "$2" ] || return 1
`+`  case $gait in Z | X | x) return 1 ;; esac
`+`}
`+`
`+`pause() { sleep 0.1 2>/dev/null || sleep 1; }
`+`memory_places='/dev/shm /run /tmp'
`+`
`+`in_memory() {
`+`  why_not=not-mounted mount_options=''
`+`  mount_table=$root/proc/mounts
`+`  [ -r "$mount_table" ] || mount_table=/proc/mounts
`+`  while read -r mount_source mount_place mount_kind mount_options mount_rest; do
`+`    [ "$mount_place" = "$1" ] || continue
`+`    case $mount_kind in tmpfs | ramfs) why_not='' ;; *) why_not=not-memory ;; esac
`+`    case ",$mount_options," in *,ro,*) why_not=read-only ;; esac
`+`  done <"$mount_table"
`+`  [ -z "$why_not" ]
`+`}
`+`
`+`own() { [ -d "$1" ] && [ ! -h "$1" ] && [ -O "$1" ]; }
`+`
`+`find_ram() {
`+`  ram=''
`+`  for place in $memory_places; do
`+`    [ -f "$root$place/podtrack/mark" ] || continue
`+`    own "$root$place/podtrack" || continue
`+`    ram=$root$place/podtrack
`+`    return 0
`+`  done
`+`  return 1
`+`}
`+`
`+`open_ram() {
`+`  ram=''
`+`  in_memory "$1" || return 1
`+`  why_not=not-writable
`+`  mkdir "$root$1/podtrack" 2>/dev/null || [ -d "$root$1/podtrack" ] || return 1
`+`  why_not=not-ours
`+`  own "$root$1/podtrack" || return 1
`+`  chmod 700 "$root$1/podtrack" 2>/dev/null || return 1
`+`  ram=$root$1/podtrack why_not=''
`+`}
`+`
`+`write() {
`+`  { raw "$2" >"$1"; } 2>/dev/null && [ "$(cat "$1" 2>/dev/null)" = "$2" ]
`+`}
`+`
`+`replace() {
`+`  renew "$1" "$2" && return 0
`+`  if [ -f "$1" ] && { raw "$2" 1<>"$1"; } 2>/dev/null; then return 0; fi
`+`  while make_room; do
`+`    renew "$1" "$2" && return 0
`+`  done
`+`  return 1
`+`}
`+`
`+`make_room() {
`+`  for spare in "$ram/reserve" "$ram"/spare.[0-9]; do
`+`    [ -f "$spare" ] && rm -f "$spare" && return 0
`+`  done
`+`  return 1
`+`}
`+`
`+`remember() {
`+`  { true >"$ram/$1"; } 2>/dev/null && return 0
`+`  while make_room; do
`+`    { true >"$ram/$1"; } 2>/dev/null && return 0
`+`  done
`+`  return 1
`+`}
`+`
`+`renew() {
`+`  if write "$1.$$" "$2" && mv -f "$1.$$" "$1" 2>/dev/null; then return 0; fi
`+`  rm -f "$1.$$"
`+`  return 1
`+`}
`+`
`+`shred_files() {
`+`  for shredded in "$@"; do
`+`    [ -f "$shredded" ] || continue
`+`    dd if=/dev/zero of="$shredded" bs=1024 count=1 conv=notrunc 2>/dev/null
`+`    rm -f "$shredded"
`+`  done
`+`}
`+`most_ahead=120
`+`
`+`two() {
`+`  case $1 in [0-9][0-9]) whole "$1" && [ "$number" -le "$2" ] ;; *) return 1 ;; esac
`+`}
`+`
`+`epoch_of() {
`+`  case $1 in
`+`    [0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9][Tt\\ ][0-9][0-9]:[0-9][0-9]:[0-9][0-9]?*) ;;
`+`    *) return 1 ;;
`+`  esac
`+`  zone=\${1#???????????????????}
`+`  case $zone in
`+'    .[0-9]*) zone=${zone#.} zone=${zone#"${zone%%[!0-9]*}"} ;;\n'+`  esac
`+`  field=$1
`+'  whole "${field%%-*}" && year=$number && field=${field#*-} || return 1\n'+`  [ "$year" -ge 1970 ] && [ "$year" -le 2100 ] || return 1
`+'  two "${field%%-*}" 12 && month=$number && field=${field#*-} || return 1\n'+'  two "${field%"${field#??}"}" 31 && day=$number && field=${field#???} || return 1\n'+`  [ "$month" -ge 1 ] && [ "$day" -ge 1 ] || return 1
`+`  case $month in
`+`    2) if [ $((year % 4)) -eq 0 ] && { [ $((year % 100)) -ne 0 ] || [ $((year % 400)) -eq 0 ]; }; then last=29; else last=28; fi ;;
`+`    4 | 6 | 9 | 11) last=30 ;;
`+`    *) last=31 ;;
`+`  esac
`+`  [ "$day" -le "$last" ] || return 1
`+'  two "${field%%:*}" 23 && hour=$number && field=${field#*:} || return 1\n'+'  two "${field%%:*}" 59 && minute=$number && field=${field#*:} || return 1\n'+'  two "${field%"${field#??}"}" 60 && second=$number || return 1\n'+`  zone_seconds "$zone" || return 1
`+`  if [ "$month" -le 2 ]; then year=$((year - 1)) month=$((month + 12)); fi
`+`  days=$((365 * year + year / 4 - year / 100 + year / 400 + (153 * (month - 3) + 2) / 5 + day - 1 - 719468))
`+`  epoch=$((days * 86400 + hour * 3600 + minute * 60 + second - east))
`+`}
`+`
`+`zone_seconds() {
`+`  east=0
`+`  case $1 in
`+`    Z | z) return 0 ;;
`+`    [+-][0-9][0-9]:[0-9][0-9] | [+-][0-9][0-9][0-9][0-9]) ;;
`+`    *) return 1 ;;
`+`  esac
`+`  zone_digits=\${1#?}
`+'  two "${zone_digits%"${zone_digits#??}"}" 23 && east=$((number * 3600)) || return 1\n'+'  two "${zone_digits#"${zone_digits%??}"}" 59 && east=$((east + number * 60)) || return 1\n'+`  case $1 in -*) east=$((0 - east)) ;; esac
`+`}
`+`
`+`moment() {
`+`  case $1 in '' | 0?* | *[!0-9]* | [5-9]????????? | ???????????*) return 1 ;; esac
`+`}
`+`
`+`wall_clock() {
`+`  wall=$(date +%s 2>/dev/null)
`+`  moment "$wall" || { wall='' && return 1; }
`+`}
`+`
`+`modified() {
`+`  mtime=$(stat -L -c %Y "$1" 2>/dev/null) || mtime=$(date -r "$1" +%s 2>/dev/null) || mtime=''
`+`  moment "$mtime" || { mtime='' && return 1; }
`+`}
`+`
`+`first_words() {
`+`  words=''
`+`  [ -f "$1" ] && words=$(dd if="$1" bs=64 count=1 2>/dev/null | tr '\\n' '#' | tr -cd '0-9TtZz:.+ #-')
`+`  words=\${words%%#*}
`+'  words=${words#"${words%%[! ]*}"} words=${words%"${words##*[! ]}"}\n'+`}
`+`
`+`heartbeat_age() {
`+`  age=''
`+`  [ -f "$1" ] && wall_clock || return 1
`+`  first_words "$1"
`+`  if epoch_of "$words"; then believe "$((wall - epoch))"; fi
`+`  if modified "$1"; then believe "$((wall - mtime))"; fi
`+`  [ -n "$age" ]
`+`}
`+`
`+`believe() {
`+`  [ "$1" -ge "-$most_ahead" ] || return 0
`+`  if [ -z "$age" ] || [ "$1" -lt "$age" ]; then age=$1; fi
`+`  [ "$age" -ge 0 ] || age=0
`+`}
`+`read_conf() {
`+`  pod_id='' rest='' graphql='' heartbeat_file='' key_source='' ca=''
`+`  pull_margin='' pet_min='' hb_grace='' tick='' backoff_first='' backoff_last='' stuck_after=''
`+`  [ -r "$ram/conf" ] || return 1
`+`  while read -r conf_line; do
`+`    conf_value=\${conf_line#*=}
`+`    case \${conf_line%%=*} in
`+`      pod_id) pod_id=$conf_value ;;
`+`      rest) rest=$conf_value ;;
`+`      graphql) graphql=$conf_value ;;
`+`      heartbeat_file) heartbeat_file=$conf_value ;;
`+`      key_source) key_source=$conf_value ;;
`+`      ca) ca=$conf_value ;;
`+`      pull_margin) span "$conf_value" && pull_margin=$number ;;
`+`      pet_min) span "$conf_value" && pet_min=$number ;;
`+`      hb_grace) span "$conf_value" && hb_grace=$number ;;
`+`      tick) span "$conf_value" && tick=$number ;;
`+`      backoff_first) span "$conf_value" && backoff_first=$number ;;
`+`      backoff_last) span "$conf_value" && backoff_last=$number ;;
`+`      stuck_after) span "$conf_value" && stuck_after=$number ;;
`+`    esac
`+`  done <"$ram/conf"
`+`  for conf_value in "$pod_id" "$rest" "$graphql" "$pull_margin" "$pet_min" "$hb_grace" \\
`+`    "$tick" "$backoff_first" "$backoff_last" "$stuck_after"; do
`+`    [ -n "$conf_value" ] || return 1
`+`  done
`+`  [ "$tick" -ge 1 ]
`+`}
`+`
`+`write_deadline() {
`+`  clock || return 1
`+`  revision=$now-$$
`+`  replace "$ram/deadline" "$((now + $1)) $((now + $2)) $((now + $3)) $4 $5 $now $revision ."
`+`}
`+`
`+`read_deadline() {
`+`  { read -r d_stop d_owner d_absolute d_allowed d_window d_set d_revision d_end <"$ram/deadline"; } 2>/dev/null || return 1
`+`  [ "$d_end" = . ] || return 1
`+`  for d_number in "$d_stop" "$d_owner" "$d_absolute" "$d_allowed" "$d_window" "$d_set"; do
`+`    whole "$d_number" && [ "$number" = "$d_number" ] || return 1
`+`  done
`+`  [ "$d_stop" -le $((d_set + longest_span)) ] && [ "$d_absolute" -le $((d_set + longest_span)) ] || return 1
`+`  set_stop=$d_stop set_owner=$d_owner absolute=$d_absolute allowed=$d_allowed window=$d_window set_at=$d_set
`+`  revision=$d_revision
`+`}
`+`
`+`read_limits() {
`+`  read_deadline || return 1
`+`  granted=0
`+`  if { read -r g_revision g_count g_end <"$ram/grant"; } 2>/dev/null && [ "$g_revision $g_end" = "$revision ." ]; then
`+`    whole "$g_count" && [ "$number" -le "$allowed" ] && granted=$number
`+`  fi
`+`  owner=$((set_owner + granted * pet_min)) stop=$set_stop
`+`  if [ "$granted" -gt 0 ] && [ "$((owner + pull_margin))" -gt "$stop" ]; then stop=$((owner + pull_margin)); fi
`+`  if [ "$owner" -gt "$absolute" ]; then owner=$absolute; fi
`+`  if [ "$stop" -gt "$absolute" ]; then stop=$absolute; fi
`+`}
`+`
`+`extend_if_alive() {
`+`  while [ "$now" -ge "$owner" ] && [ "$granted" -lt "$allowed" ] && [ "$owner" -lt "$absolute" ]; do
`+`    heartbeat_age "$heartbeat_file" && [ "$age" -le "$hb_grace" ] || return 0
`+`    replace "$ram/grant" "$revision $((granted + 1)) ." || return 0
`+`    read_limits || return 0
`+`    note "extended $granted of $allowed: heartbeat $age s old, stops in $((stop - now)) s"
`+`  done
`+`}
`+`
`+`note() {
`+`  wall_clock
`+'  { raw "${wall:-?} ${now:-?} $1" >>"$ram/record"; } 2>/dev/null\n'+`  noted=$((\${noted:-0} + 1))
`+`  [ $((noted % 50)) -eq 0 ] || return 0
`+`  { tail -n 200 "$ram/record" >"$ram/record.$$" && mv -f "$ram/record.$$" "$ram/record"; } 2>/dev/null
`+`}
`+`seated() {
`+`  { read -r seat_pid seat_born seat_rest <"$ram/$1.pid"; } 2>/dev/null && living "$seat_pid" "$seat_born"
`+`}
`+`
`+`take_seat() {
`+`  if [ -e "$ram/off" ] || [ -e "$ram/gone" ] || seated "$role"; then exit 0; fi
`+`  identity "$$" || exit 1
`+`  own_seat="$$ $born"
`+`  replace "$ram/$role.pid" "$own_seat" || exit 1
`+`  { echo -900 >"/proc/$$/oom_score_adj"; } 2>/dev/null
`+`  turn=0 still=0 turn_before=''
`+`}
`+`
`+`on_duty() {
`+`  if [ -e "$ram/off" ] || [ -e "$ram/gone" ]; then return 1; fi
`+`  { read -r seat_pid seat_born seat_rest <"$ram/$role.pid"; } 2>/dev/null && [ "$seat_pid $seat_born" = "$own_seat" ]
`+`}
`+`
`+`beat() {
`+`  turn=$((turn + 1))
`+`  { raw "$turn \${1:--}" 1<>"$ram/$role.beat"; } 2>/dev/null
`+`}
`+`
`+`mind() {
`+`  if seated "$1"; then
`+`    turn_seen=''
`+`    { read -r turn_seen beat_rest <"$ram/$1.beat"; } 2>/dev/null
`+`    if [ -z "$turn_seen" ] || [ "$turn_seen" != "$turn_before" ]; then still=0; else still=$((still + tick)); fi
`+`    turn_before=$turn_seen
`+`    [ "$still" -ge "$stuck_after" ] || return 0
`+`    note "$1 does not turn any more: killed"
`+`    kill -KILL "$seat_pid" 2>/dev/null
`+`  else
`+`    note "$1 is gone: started again"
`+`  fi
`+`  still=0
`+`  start "$1"
`+`}
`+`
`+`start() {
`+`  if command -v setsid >/dev/null 2>&1; then
`+`    setsid sh "$ram/$1" "$ram" </dev/null >/dev/null 2>&1 &
`+`  else
`+`    (trap '' HUP INT QUIT && exec sh "$ram/$1" "$ram") </dev/null >/dev/null 2>&1 &
`+`  fi
`+`}
`+`
`+`rest_a_tick() {
`+`  sleep "$tick" &
`+`  wait "$!"
`+`}
`+`agent=podtrack-switch/1
`+`
`+`find_tool() {
`+`  if curl --version >/dev/null 2>&1; then
`+`    tool=curl
`+`  else
`+`    case $(wget --version 2>/dev/null) in
`+`      'GNU Wget'*) tool=wget ;;
`+`      *)
`+`        if python3 -I -c 'import http.client, ssl' >/dev/null 2>&1; then
`+`          tool=python3
`+`        elif command -v runpodctl >/dev/null 2>&1; then
`+`          tool=runpodctl
`+`        else
`+`          tool=none
`+`        fi
`+`        ;;
`+`    esac
`+`  fi
`+`}
`+`
`+`ca_places="$root/etc/ssl/certs/ca-certificates.crt $root/etc/pki/tls/certs/ca-bundle.crt $root/etc/ssl/ca-bundle.pem \\
`+`$root/etc/ssl/cert.pem $root/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem $root/usr/lib/ssl/cert.pem \\
`+`$root/opt/conda/ssl/cacert.pem $root/usr/local/lib/python3*/*-packages/certifi/cacert.pem \\
`+`$root/usr/lib/python3*/*-packages/certifi/cacert.pem $root/opt/*/lib/python3*/site-packages/certifi/cacert.pem"
`+`ca='' slow_down=0
`+`
`+`http() {
`+`  ask_once "$@"
`+`  [ "$word" = tls-failed ] || return 0
`+`  ca_before=$ca
`+`  for ca_place in '' $ca_places; do
`+`    [ "$ca_place" != "$ca_before" ] || continue
`+`    [ -z "$ca_place" ] || [ -s "$ca_place" ] || continue
`+`    ca=$ca_place
`+`    ask_once "$@"
`+`    [ "$word" = tls-failed ] || return 0
`+`  done
`+`  ca=$ca_before
`+`}
`+`
`+`ask_once() {
`+`  code='' media='' flat='' word=no-answer retry_after=''
`+`  case $tool in
`+`    curl) answer=$(ask_by_curl "$@" | cut_short) ;;
`+`    wget) answer=$(ask_by_wget "$@" | cut_short) ;;
`+`    python3) answer=$(ask_by_python "$@" | cut_short) ;;
`+`    *) word=no-tool && return 0 ;;
`+`  esac
`+`  split_answer
`+`  name_answer
`+`  case $word in
`+`    429 | 503) if span "$retry_after" && [ "$number" -gt "$slow_down" ]; then slow_down=$number; fi ;;
`+`  esac
`+`}
`+`
`+`cut_short() { head -c 65536 | tr -d '\\000\\r'; }
`+`
`+`ask_by_curl() {
`+`  method=$1 url=$2 key=$3
`+`  shift 3
`+`  [ "$#" -eq 0 ] || set -- -H 'Content-Type: application/json' -d "$1"
`+`  [ -z "$ca" ] || set -- --cacert "$ca" "$@"
`+`  raw "header = \\"Authorization: Bearer $key\\"" |
`+`    curl -q -sS -i -m 20 --connect-timeout 10 -A "$agent" -H 'Accept: application/json' -X "$method" "$@" -K - "$url" 2>/dev/null
`+`  raw "\${newline}exit $?"
`+`}
`+`
`+`ask_by_wget() {
`+`  method=$1 url=$2 key=$3
`+`  shift 3
`+`  [ "$#" -eq 0 ] || set -- '--header=Content-Type: application/json' "--body-data=$1"
`+`  [ -z "$ca" ] || set -- "--ca-certificate=$ca" "$@"
`+`  wgetrc=$ram/wgetrc wgetrc_line=''
`+`  { read -r wgetrc_line <"$wgetrc"; } 2>/dev/null
`+`  if [ "$wgetrc_line" != "header = Authorization: Bearer $key" ]; then
`+`    wgetrc=$ram/wgetrc.$$
`+`    write "$wgetrc" "header = Authorization: Bearer $key" || { rm -f "$wgetrc"; return 0; }
`+`  fi
`+`  wget "--config=$wgetrc" -q --save-headers --content-on-error --tries=1 --timeout=20 --max-redirect=0 \\
`+`    "--user-agent=$agent" --header='Accept: application/json' "--method=$method" "$@" -O - "$url" 2>/dev/null
`+`  wget_exit=$?
`+`  [ "$wgetrc" = "$ram/wgetrc" ] || shred_files "$wgetrc"
`+`  raw "\${newline}exit $wget_exit"
`+`}
`+`
`+`by_python='
`+`import http.client, signal, socket, ssl, sys
`+`from urllib.parse import urlsplit
`+`signal.alarm(25)
`+`method, url, ca, agent, body = sys.argv[1:]
`+`headers = {"Authorization": "Bearer " + sys.stdin.readline().strip(), "Accept": "application/json", "User-Agent": agent}
`+`if body:
`+`    headers["Content-Type"] = "application/json"
`+`try:
`+`    to = urlsplit(url)
`+`    if to.scheme == "https":
`+`        trust = ssl.create_default_context(cafile=ca or None)
`+`        door = http.client.HTTPSConnection(to.hostname, to.port, timeout=20, context=trust)
`+`    else:
`+`        door = http.client.HTTPConnection(to.hostname, to.port, timeout=20)
`+`    door.request(method, to.path, body or None, headers)
`+`    answer = door.getresponse()
`+`    head = ["HTTP/1.1 %d -" % answer.status] + ["%s: %s" % pair for pair in answer.getheaders()]
`+`    sys.stdout.buffer.write(("\\n".join(head) + "\\n\\n").encode("latin-1") + answer.read(65536))
`+`except socket.gaierror:
`+`    sys.exit(6)
`+`except ssl.SSLError:
`+`    sys.exit(60)
`+`except socket.timeout:
`+`    sys.exit(28)
`+`except http.client.HTTPException:
`+`    sys.exit(52)
`+`except OSError:
`+`    sys.exit(7)
`+`'
`+`
`+`ask_by_python() {
`+`  method=$1 url=$2 key=$3
`+`  shift 3
`+`  raw "$key" | python3 -I -c "$by_python" "$method" "$url" "$ca" "$agent" "\${1:-}" 2>/dev/null
`+`  raw "\${newline}exit $?"
`+`}
`+`
`+`split_answer() {
`+`  tool_exit=''
`+`  case $answer in
`+`    *"\${newline}exit "*)
`+'      tool_exit=${answer##*"${newline}exit "}\n'+'      answer=${answer%"${newline}exit "*}\n'+`      ;;
`+`  esac
`+`  head='' body=''
`+`  while :; do
`+`    case $answer in HTTP/*) ;; *) break ;; esac
`+`    head=\${answer%%"$newline$newline"*}
`+`    case $answer in *"$newline$newline"*) body=\${answer#*"$newline$newline"} ;; *) body='' ;; esac
`+`    status_line=\${head%%"$newline"*}
`+`    code=\${status_line#* }
`+`    code=\${code%% *}
`+`    case $status_line in *' 1'[0-9][0-9]* | *onnection\\ established*) code='' answer=$body ;; *) break ;; esac
`+`  done
`+`  if [ "$tool" = wget ] && [ -z "$code" ] && [ "$tool_exit" = 0 ]; then code=204; fi
`+`  while [ -n "$head" ]; do
`+`    header=\${head%%"$newline"*}
`+`    case $header in
`+`      [Cc]ontent-[Tt]ype:*) media=\${header#*:} ;;
`+"      [Rr]etry-[Aa]fter:*) retry_after=${header#*:} retry_after=${retry_after# } ;;\n"+`    esac
`+`    case $head in *"$newline"*) head=\${head#*"$newline"} ;; *) head='' ;; esac
`+`  done
`+`  [ -z "$body" ] || flat=$(raw "$body" | tr -d ' \\t\\n')
`+`}
`+`
`+`name_answer() {
`+`  case $code in
`+`    2[0-9][0-9]) case $media in *html*) word=html ;; *) word=ok ;; esac ;;
`+`    404) if says_absent; then word=absent; else word=404-unclear; fi ;;
`+`    [1-5][0-9][0-9]) word=$code ;;
`+`    *) word_of_exit ;;
`+`  esac
`+`}
`+`
`+`says_absent() {
`+`  case $media in *application/problem+json*) ;; *) return 1 ;; esac
`+`  case $flat in *'"detail":"'[!\\"]*) ;; *) return 1 ;; esac
`+`  detail=\${flat#*'"detail":"'}
`+`  case \${detail%%\\"*} in
`+`    *[Pp]ath* | *[Rr]oute* | *[Ee]ndpoint* | *[Uu][Rr][Ll]* | *[Pp]age*) return 1 ;;
`+`    *ccess* | *ermission* | *enied* | *orbidden* | *uthori[sz]* | *navailable* | *aintenance* | *emporar* | *uspend* | *isabled*) return 1 ;;
`+`    *hasmoved* | *wasmoved*) return 1 ;;
`+`    *[Pp]od* | *[Rr]esource* | [Nn]ot[Ff]ound | [Nn]ot[Ff]ound.) ;;
`+`    *) return 1 ;;
`+`  esac
`+`  case $flat in '{'*'"status":404'[,}]*'}' | '{'*'"status":404}') ;; *) return 1 ;; esac
`+`}
`+`
`+`word_of_exit() {
`+`  case $tool-$tool_exit in
`+`    curl-6 | python3-6) word=no-such-host ;;
`+`    curl-7 | wget-4 | python3-7) word=no-connection ;;
`+`    curl-28 | python3-28 | python3-142) word=timed-out ;;
`+`    curl-35 | curl-5[189] | curl-60 | curl-66 | curl-77 | curl-83 | wget-5 | python3-60) word=tls-failed ;;
`+`    *) word=no-answer-$tool_exit ;;
`+`  esac
`+`}
`+`
`+`graphql() {
`+`  http POST "$graphql" "$1" "$2"
`+`  [ "$code" = 200 ] || return 0
`+`  case $media in *json*) ;; *) word=not-json && return 0 ;; esac
`+`  case $flat in
`+`    *'"errors"'*[Uu]nauthorized*) word=unauthorized ;;
`+`    *'"errors"'*POD_NOT_FOUND* | *'"errors"'*notfound*) word=not-found ;;
`+`    *'"errors"'*) word=errors ;;
`+`    '{"data":{'*'}}') word=ok ;;
`+`    *) word=odd ;;
`+`  esac
`+`}
`+`
`+`end_request() { raw "{\\"query\\":\\"mutation { podTerminate(input: {podId: \\\\\\"$1\\\\\\"}) }\\"}"; }
`+`read_request() { raw "{\\"query\\":\\"query { pod(input: {podId: \\\\\\"$1\\\\\\"}) { id desiredStatus } }\\"}"; }
`+`
`+`injected_key() {
`+`  key=$({ tr '\\000' '\\n' <"$root/proc/1/environ"; } 2>/dev/null | sed -n 's/^RUNPOD_API_KEY=//p' | head -n 1)
`+`  if ! usable_key "$key"; then
`+`    key=$(sed -n 's/^export RUNPOD_API_KEY="\\{0,1\\}\\([^"]*\\)"\\{0,1\\}$/\\1/p' "$root/etc/rp_environment" 2>/dev/null | head -n 1)
`+`  fi
`+`  usable_key "$key" || { key='' && return 1; }
`+`}
`+`
`+`usable_key() {
`+`  case $1 in '' | *[!A-Za-z0-9._~+/=-]*) return 1 ;; esac
`+'  [ "${#1}" -ge 4 ] && [ "${#1}" -le 512 ]\n'+`}
`+`said_before=''
`+`say() { raw "$said_before$1=$2"; }
`+`
`+`lack() { [ -n "$reason" ] || reason=$1; }
`+`
`+`role_state() {
`+`  state=dead
`+`  if seated "$1"; then
`+`    case $gait in T | t) state=stopped ;; *) state=alive ;; esac
`+`  fi
`+`  [ "$state" = alive ] || lack "$1-$state"
`+`}
`+`
`+`held() {
`+`  value=''
`+`  while read -r mark_line; do
`+`    case $mark_line in "$1="*) value=\${mark_line#*=} ;; esac
`+`  done <"$ram/mark"
`+`}
`+`
`+`say_mark() {
`+`  held podId && say pod_id "$value"
`+`  held registryId && say registry_id "$value"
`+`  held ownerUuid && say owner_uuid "$value"
`+`}
`+`
`+`say_clocks() {
`+`  if wall_clock; then say pod_now "$wall"; fi
`+`  if clock; then say uptime "$now"; fi
`+`}
`+`
`+`say_fired() {
`+`  if { read -r fired_at fired_why fired_rest <"$ram/fired"; } 2>/dev/null; then
`+`    say fired yes
`+`    say fire_reason "$fired_why"
`+`  else
`+`    say fired no
`+`  fi
`+`  if { read -r fire_tries fire_last <"$ram/tries"; } 2>/dev/null; then
`+`    say fire_tries "$fire_tries"
`+`    say fire_last "$fire_last"
`+`  else
`+`    say fire_tries 0
`+`  fi
`+`}
`+`
`+`say_limits() {
`+`  read_limits || { lack deadline-unreadable && return 0; }
`+`  clock || { lack clock-unreadable && return 0; }
`+`  [ "$now" -ge "$set_at" ] || lack clock-went-back
`+`  say stop_in $((stop - now))
`+`  say owner_in $((owner - now))
`+`  say absolute_in $((absolute - now))
`+`  say extensions_left $((allowed - granted))
`+`  say extensions_granted "$granted"
`+`  say pet_window "$window"
`+`  say last_pet_ago $((now - set_at))
`+`  if { read -r beat_turn beat_revision <"$ram/watchdog.beat"; } 2>/dev/null && [ "$beat_revision" = "$revision" ]; then
`+`    say acted yes
`+`  else
`+`    say acted no
`+`  fi
`+`}
`+`
`+`say_status() {
`+`  reason=''
`+`  say_clocks
`+`  if ! find_ram; then
`+`    find_tool
`+`    say http_tool "$tool"
`+`    say armed no
`+`    say reason not-installed
`+`    return 0
`+`  fi
`+`  say place "\${ram#"$root"}"
`+`  say_mark
`+`  if read_conf; then
`+`    say key_source "$key_source"
`+`    say ca "\${ca:-default}"
`+`    say_limits
`+`  else
`+`    lack conf-unreadable
`+`  fi
`+`  role_state watchdog
`+`  say watchdog "$state"
`+`  role_state supervisor
`+`  say supervisor "$state"
`+`  say_fired
`+`  find_tool
`+`  say http_tool "$tool"
`+`  [ "$tool" != none ] || lack no-http-tool
`+`  if [ -s "$ram/credential" ]; then
`+`    say credential present
`+`  else
`+`    say credential absent
`+`    [ "$tool" = runpodctl ] || lack no-credential
`+`  fi
`+`  if [ -e "$ram/gone" ]; then reason=gone-proven; fi
`+`  if [ -z "$reason" ]; then say armed yes; else say armed no && say reason "$reason"; fi
`+`}
`+`open_scratch() {
`+`  for place in /dev/shm /run /tmp; do
`+`    scratch=$root$place/podtrack-look.$$
`+`    mkdir "$scratch" 2>/dev/null && return 0
`+`  done
`+`  return 1
`+`}
`+`
`+`bounded() {
`+`  "$@" </dev/null >"$scratch/out" 2>"$scratch/err" &
`+`  bounded_pid=$!
`+`  clock
`+`  bounded_until=$((now + 10))
`+`  while identity "$bounded_pid" && [ "$gait" != Z ]; do
`+`    if clock && [ "$now" -ge "$bounded_until" ]; then
`+`      kill -KILL "$bounded_pid" 2>/dev/null
`+`      return 1
`+`    fi
`+`    pause
`+`  done
`+`  wait "$bounded_pid"
`+`  bounded_exit=$?
`+`}
`+`
`+`printable() {
`+`  head -c "$2" "$1" 2>/dev/null | tr -cd '\\11\\12\\40-\\176' | sed "s/^/$3| /"
`+`}
`+`
`+`samples=1 spacing=1 artifact=''
`+`gpu_query=index,uuid,utilization.gpu,memory.used,memory.total
`+`
`+`say_heartbeat() {
`+`  beat_file=\${HOME:-$root/root}/.podtrack_job_alive
`+`  if [ ! -e "$beat_file" ]; then
`+`    say hb absent
`+`  elif [ ! -f "$beat_file" ]; then
`+`    say hb unseen:not-a-file
`+`  else
`+`    first_words "$beat_file"
`+`    say hb present
`+`    say hb_content "$words"
`+`    if modified "$beat_file"; then say hb_mtime "$mtime"; fi
`+`  fi
`+`}
`+`
`+`say_load() {
`+`  for load_file in "$root/proc/loadavg" /proc/loadavg; do
`+`    { read -r load1 load_rest <"$load_file"; } 2>/dev/null || continue
`+`    case $load1 in '' | *[!0-9.]*) continue ;; esac
`+`    say load1 "$load1"
`+`    return 0
`+`  done
`+`  say load1 unseen:no-loadavg
`+`}
`+`
`+`say_sessions() {
`+`  sessions=0 processes=0 ancestors=' '
`+`  ancestor=$$
`+`  while whole "$ancestor" && [ "$number" -gt 1 ] && identity "$ancestor"; do
`+`    ancestors="$ancestors$ancestor "
`+`    set -- \${stat_line##*) }
`+`    ancestor=$2
`+`  done
`+`  for process in "$root"/proc/[0-9]*; do
`+`    { read -r process_name <"$process/comm"; } 2>/dev/null || continue
`+`    processes=$((processes + 1))
`+`    case $process_name in sshd*) ;; *) continue ;; esac
`+`    case $ancestors in *" \${process##*/} "*) continue ;; esac
`+`    case $(tr '\\000' ' ' <"$process/cmdline" 2>/dev/null) in 'sshd'*': '*@*) sessions=$((sessions + 1)) ;; esac
`+`  done
`+`  if [ "$processes" -gt 0 ]; then say ssh_sessions "$sessions"; else say ssh_sessions unseen:no-process-list; fi
`+`}
`+`
`+`say_artifacts() {
`+`  [ -n "$artifact" ] || return 0
`+"  case $artifact in '~/'*) artifact=${HOME:-$root/root}/${artifact#??} ;; *) artifact=$root$artifact ;; esac\n"+`  if [ ! -e "$artifact" ]; then
`+`    say artifacts absent
`+`  elif [ ! -r "$artifact" ]; then
`+`    say artifacts unseen:unreadable
`+`  elif [ -d "$artifact" ] && [ -z "$(ls -A "$artifact" 2>/dev/null | head -n 1)" ]; then
`+`    say artifacts empty
`+`  else
`+`    say artifacts present
`+`  fi
`+`}
`+`
`+`gpu_sample() {
`+`  if ! bounded nvidia-smi "--query-gpu=$gpu_query" --format=csv,noheader,nounits; then
`+`    say gpu_exit unseen:timed-out
`+`    return 1
`+`  fi
`+`  smi_text=$(head -c 4097 "$scratch/out" | tr '\\000' ' ')
`+`  if [ "\${#smi_text}" -gt 4096 ]; then
`+`    say gpu_exit unseen:too-long
`+`    return 1
`+`  fi
`+`  printable "$scratch/out" 4096 gpu
`+`  printable "$scratch/err" 1024 gpuerr
`+`  raw ''
`+`  say gpu_exit "$bounded_exit"
`+`}
`+`
`+`say_gpu() {
`+`  if ! command -v nvidia-smi >/dev/null 2>&1; then
`+`    say gpu_exit 127
`+`    return 0
`+`  fi
`+`  [ -n "$scratch" ] || { say gpu_exit unseen:no-room && return 0; }
`+`  taken=0
`+`  while [ "$taken" -lt "$samples" ]; do
`+`    [ "$taken" -eq 0 ] || sleep "$spacing"
`+`    gpu_sample || break
`+`    taken=$((taken + 1))
`+`  done
`+`}
`+`
`+`begin_key() {
`+`  key_pid=''
`+`  [ -n "$scratch" ] && find_ram && read_conf && [ ! -e "$ram/fired" ] || return 0
`+`  { read -r key <"$ram/credential"; } 2>/dev/null && usable_key "$key" || return 0
`+`  find_tool
`+`  clock
`+`  key_until=$((now + 10))
`+`  ask_key </dev/null >"$scratch/key" 2>/dev/null &
`+`  key_pid=$!
`+`}
`+`
`+`ask_key() {
`+`  key_told=$(try_key)
`+`  tried_key=$key
`+`  if [ "$key_told" = refused ] && injected_key && [ "$key" != "$tried_key" ]; then key_told=$(try_key); fi
`+`  raw "$key_told"
`+`}
`+`
`+`try_key() {
`+`  http GET "$rest/v2/pods/$pod_id" "$key"
`+`  [ "$word" != ok ] || { raw works && return 0; }
`+`  http DELETE "$rest/v2/pods/podtrack-no-such-pod" "$key"
`+`  by_rest=$word
`+`  [ "$by_rest" != absent ] || { raw works && return 0; }
`+`  graphql "$key" "$(end_request podtrack-no-such-pod)"
`+`  case $by_rest,$word in
`+`    *,not-found) raw works ;;
`+`    40[13],40[13] | 40[13],unauthorized) raw refused ;;
`+`    *) raw "unseen:rest=$by_rest,graphql=$word" ;;
`+`  esac
`+`}
`+`
`+`say_key() {
`+`  if [ -z "$key_pid" ]; then
`+`    say sw_key unseen:not-asked
`+`    return 0
`+`  fi
`+`  while identity "$key_pid" && [ "$gait" != Z ]; do
`+`    if clock && [ "$now" -ge "$key_until" ]; then
`+`      kill -KILL "$key_pid" 2>/dev/null
`+`      say sw_key unseen:timed-out
`+`      return 0
`+`    fi
`+`    pause
`+`  done
`+`  key_told=''
`+`  { read -r key_told <"$scratch/key"; } 2>/dev/null
`+`  say sw_key "\${key_told:-unseen:no-answer}"
`+`}
`+`
`+`settle_in
`+`for word_given in "$@"; do
`+`  case $word_given in
`+`    samples=[1-9]) samples=\${word_given#*=} ;;
`+`    spacing=[1-9]) spacing=\${word_given#*=} ;;
`+`    artifact=?*) artifact=\${word_given#*=} ;;
`+`    *) say refused "unknown-word" && exit 3 ;;
`+`  esac
`+`done
`+`open_scratch || scratch=''
`+`begin_key
`+`say_clocks
`+`say_heartbeat
`+`say_load
`+`say_sessions
`+`say_artifacts
`+`said_before=sw_
`+`say_status
`+`said_before=''
`+`say_gpu
`+`say_key
`+`[ -z "$scratch" ] || rm -rf "$scratch"
`,switch:`# podtrack switch, whole; see on-pod/ for the sources
`+`root=\${PODTRACK_ROOT:-}
`+`newline='
`+`'
`+`longest_span=2678400
`+`
`+`settle_in() {
`+`  set +e +u +f +x +v +C
`+`  umask 077
`+`  LC_ALL=C
`+`  export LC_ALL
`+`}
`+`
`+`if [ -n "\${KSH_VERSION:-}" ] && [ "$(command -v print)" = print ]; then
`+`  raw() { print -r -- "$1"; }
`+`else
`+`  raw() { printf '%s\\n' "$1"; }
`+`fi
`+`
`+`whole() {
`+`  number=$1
`+`  case $number in '' | *[!0-9]*) return 1 ;; esac
`+`  while :; do
`+`    case $number in
`+`      0?*) number=\${number#0} ;;
`+`      *) break ;;
`+`    esac
`+`  done
`+`  [ "\${#number}" -le 9 ]
`+`}
`+`
`+`span() { whole "$1" && [ "$number" -le "$longest_span" ]; }
`+`
`+`clock() {
`+`  for clock_file in "$root/proc/uptime" /proc/uptime; do
`+`    { read -r now clock_rest <"$clock_file"; } 2>/dev/null || continue
`+`    whole "\${now%%.*}" || continue
`+`    now=$number
`+`    return 0
`+`  done
`+`  now=''
`+`  return 1
`+`}
`+`
`+`identity() {
`+`  born='' gait=''
`+`  whole "$1" || return 1
`+`  for stat_file in "$root/proc/$1/stat" "/proc/$1/stat"; do
`+`    { read -r stat_line <"$stat_file"; } 2>/dev/null || continue
`+`    set -- \${stat_line##*) }
`+`    [ "$#" -ge 20 ] || continue
`+`    gait=$1
`+`    born=\${20}
`+`    return 0
`+`  done
`+`  return 1
`+`}
`+`
`+`living() {
`+`  identity "$1" && [ "$born" = "$2" ] || return 1
`+`  case $gait in Z | X | x) return 1 ;; esac
`+`}
`+`
`+`pause() { sleep 0.1 2>/dev/null || sleep 1; }
`+`memory_places='/dev/shm /run /tmp'
`+`
`+`in_memory() {
`+`  why_not=not-mounted mount_options=''
`+`  mount_table=$root/proc/mounts
`+`  [ -r "$mount_table" ] || mount_table=/proc/mounts
`+`  while read -r mount_source mount_place mount_kind mount_options mount_rest; do
`+`    [ "$mount_place" = "$1" ] || continue
`+`    case $mount_kind in tmpfs | ramfs) why_not='' ;; *) why_not=not-memory ;; esac
`+`    case ",$mount_options," in *,ro,*) why_not=read-only ;; esac
`+`  done <"$mount_table"
`+`  [ -z "$why_not" ]
`+`}
`+`
`+`own() { [ -d "$1" ] && [ ! -h "$1" ] && [ -O "$1" ]; }
`+`
`+`find_ram() {
`+`  ram=''
`+`  for place in $memory_places; do
`+`    [ -f "$root$place/podtrack/mark" ] || continue
`+`    own "$root$place/podtrack" || continue
`+`    ram=$root$place/podtrack
`+`    return 0
`+`  done
`+`  return 1
`+`}
`+`
`+`open_ram() {
`+`  ram=''
`+`  in_memory "$1" || return 1
`+`  why_not=not-writable
`+`  mkdir "$root$1/podtrack" 2>/dev/null || [ -d "$root$1/podtrack" ] || return 1
`+`  why_not=not-ours
`+`  own "$root$1/podtrack" || return 1
`+`  chmod 700 "$root$1/podtrack" 2>/dev/null || return 1
`+`  ram=$root$1/podtrack why_not=''
`+`}
`+`
`+`write() {
`+`  { raw "$2" >"$1"; } 2>/dev/null && [ "$(cat "$1" 2>/dev/null)" = "$2" ]
`+`}
`+`
`+`replace() {
`+`  renew "$1" "$2" && return 0
`+`  if [ -f "$1" ] && { raw "$2" 1<>"$1"; } 2>/dev/null; then return 0; fi
`+`  while make_room; do
`+`    renew "$1" "$2" && return 0
`+`  done
`+`  return 1
`+`}
`+`
`+`make_room() {
`+`  for spare in "$ram/reserve" "$ram"/spare.[0-9]; do
`+`    [ -f "$spare" ] && rm -f "$spare" && return 0
`+`  done
`+`  return 1
`+`}
`+`
`+`remember() {
`+`  { true >"$ram/$1"; } 2>/dev/null && return 0
`+`  while make_room; do
`+`    { true >"$ram/$1"; } 2>/dev/null && return 0
`+`  done
`+`  return 1
`+`}
`+`
`+`renew() {
`+`  if write "$1.$$" "$2" && mv -f "$1.$$" "$1" 2>/dev/null; then return 0; fi
`+`  rm -f "$1.$$"
`+`  return 1
`+`}
`+`
`+`shred_files() {
`+`  for shredded in "$@"; do
`+`    [ -f "$shredded" ] || continue
`+`    dd if=/dev/zero of="$shredded" bs=1024 count=1 conv=notrunc 2>/dev/null
`+`    rm -f "$shredded"
`+`  done
`+`}
`+`most_ahead=120
`+`
`+`two() {
`+`  case $1 in [0-9][0-9]) whole "$1" && [ "$number" -le "$2" ] ;; *) return 1 ;; esac
`+`}
`+`
`+`epoch_of() {
`+`  case $1 in
`+`    [0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9][Tt\\ ][0-9][0-9]:[0-9][0-9]:[0-9][0-9]?*) ;;
`+`    *) return 1 ;;
`+`  esac
`+`  zone=\${1#???????????????????}
`+`  case $zone in
`+'    .[0-9]*) zone=${zone#.} zone=${zone#"${zone%%[!0-9]*}"} ;;\n'+`  esac
`+`  field=$1
`+'  whole "${field%%-*}" && year=$number && field=${field#*-} || return 1\n'+`  [ "$year" -ge 1970 ] && [ "$year" -le 2100 ] || return 1
`+'  two "${field%%-*}" 12 && month=$number && field=${field#*-} || return 1\n'+'  two "${field%"${field#??}"}" 31 && day=$number && field=${field#???} || return 1\n'+`  [ "$month" -ge 1 ] && [ "$day" -ge 1 ] || return 1
`+`  case $month in
`+`    2) if [ $((year % 4)) -eq 0 ] && { [ $((year % 100)) -ne 0 ] || [ $((year % 400)) -eq 0 ]; }; then last=29; else last=28; fi ;;
`+`    4 | 6 | 9 | 11) last=30 ;;
`+`    *) last=31 ;;
`+`  esac
`+`  [ "$day" -le "$last" ] || return 1
`+'  two "${field%%:*}" 23 && hour=$number && field=${field#*:} || return 1\n'+'  two "${field%%:*}" 59 && minute=$number && field=${field#*:} || return 1\n'+'  two "${field%"${field#??}"}" 60 && second=$number || return 1\n'+`  zone_seconds "$zone" || return 1
`+`  if [ "$month" -le 2 ]; then year=$((year - 1)) month=$((month + 12)); fi
`+`  days=$((365 * year + year / 4 - year / 100 + year / 400 + (153 * (month - 3) + 2) / 5 + day - 1 - 719468))
`+`  epoch=$((days * 86400 + hour * 3600 + minute * 60 + second - east))
`+`}
`+`
`+`zone_seconds() {
`+`  east=0
`+`  case $1 in
`+`    Z | z) return 0 ;;
`+`    [+-][0-9][0-9]:[0-9][0-9] | [+-][0-9][0-9][0-9][0-9]) ;;
`+`    *) return 1 ;;
`+`  esac
`+`  zone_digits=\${1#?}
`+'  two "${zone_digits%"${zone_digits#??}"}" 23 && east=$((number * 3600)) || return 1\n'+'  two "${zone_digits#"${zone_digits%??}"}" 59 && east=$((east + number * 60)) || return 1\n'+`  case $1 in -*) east=$((0 - east)) ;; esac
`+`}
`+`
`+`moment() {
`+`  case $1 in '' | 0?* | *[!0-9]* | [5-9]????????? | ???????????*) return 1 ;; esac
`+`}
`+`
`+`wall_clock() {
`+`  wall=$(date +%s 2>/dev/null)
`+`  moment "$wall" || { wall='' && return 1; }
`+`}
`+`
`+`modified() {
`+`  mtime=$(stat -L -c %Y "$1" 2>/dev/null) || mtime=$(date -r "$1" +%s 2>/dev/null) || mtime=''
`+`  moment "$mtime" || { mtime='' && return 1; }
`+`}
`+`
`+`first_words() {
`+`  words=''
`+`  [ -f "$1" ] && words=$(dd if="$1" bs=64 count=1 2>/dev/null | tr '\\n' '#' | tr -cd '0-9TtZz:.+ #-')
`+`  words=\${words%%#*}
`+'  words=${words#"${words%%[! ]*}"} words=${words%"${words##*[! ]}"}\n'+`}
`+`
`+`heartbeat_age() {
`+`  age=''
`+`  [ -f "$1" ] && wall_clock || return 1
`+`  first_words "$1"
`+`  if epoch_of "$words"; then believe "$((wall - epoch))"; fi
`+`  if modified "$1"; then believe "$((wall - mtime))"; fi
`+`  [ -n "$age" ]
`+`}
`+`
`+`believe() {
`+`  [ "$1" -ge "-$most_ahead" ] || return 0
`+`  if [ -z "$age" ] || [ "$1" -lt "$age" ]; then age=$1; fi
`+`  [ "$age" -ge 0 ] || age=0
`+`}
`+`read_conf() {
`+`  pod_id='' rest='' graphql='' heartbeat_file='' key_source='' ca=''
`+`  pull_margin='' pet_min='' hb_grace='' tick='' backoff_first='' backoff_last='' stuck_after=''
`+`  [ -r "$ram/conf" ] || return 1
`+`  while read -r conf_line; do
`+`    conf_value=\${conf_line#*=}
`+`    case \${conf_line%%=*} in
`+`      pod_id) pod_id=$conf_value ;;
`+`      rest) rest=$conf_value ;;
`+`      graphql) graphql=$conf_value ;;
`+`      heartbeat_file) heartbeat_file=$conf_value ;;
`+`      key_source) key_source=$conf_value ;;
`+`      ca) ca=$conf_value ;;
`+`      pull_margin) span "$conf_value" && pull_margin=$number ;;
`+`      pet_min) span "$conf_value" && pet_min=$number ;;
`+`      hb_grace) span "$conf_value" && hb_grace=$number ;;
`+`      tick) span "$conf_value" && tick=$number ;;
`+`      backoff_first) span "$conf_value" && backoff_first=$number ;;
`+`      backoff_last) span "$conf_value" && backoff_last=$number ;;
`+`      stuck_after) span "$conf_value" && stuck_after=$number ;;
`+`    esac
`+`  done <"$ram/conf"
`+`  for conf_value in "$pod_id" "$rest" "$graphql" "$pull_margin" "$pet_min" "$hb_grace" \\
`+`    "$tick" "$backoff_first" "$backoff_last" "$stuck_after"; do
`+`    [ -n "$conf_value" ] || return 1
`+`  done
`+`  [ "$tick" -ge 1 ]
`+`}
`+`
`+`write_deadline() {
`+`  clock || return 1
`+`  revision=$now-$$
`+`  replace "$ram/deadline" "$((now + $1)) $((now + $2)) $((now + $3)) $4 $5 $now $revision ."
`+`}
`+`
`+`read_deadline() {
`+`  { read -r d_stop d_owner d_absolute d_allowed d_window d_set d_revision d_end <"$ram/deadline"; } 2>/dev/null || return 1
`+`  [ "$d_end" = . ] || return 1
`+`  for d_number in "$d_stop" "$d_owner" "$d_absolute" "$d_allowed" "$d_window" "$d_set"; do
`+`    whole "$d_number" && [ "$number" = "$d_number" ] || return 1
`+`  done
`+`  [ "$d_stop" -le $((d_set + longest_span)) ] && [ "$d_absolute" -le $((d_set + longest_span)) ] || return 1
`+`  set_stop=$d_stop set_owner=$d_owner absolute=$d_absolute allowed=$d_allowed window=$d_window set_at=$d_set
`+`  revision=$d_revision
`+`}
`+`
`+`read_limits() {
`+`  read_deadline || return 1
`+`  granted=0
`+`  if { read -r g_revision g_count g_end <"$ram/grant"; } 2>/dev/null && [ "$g_revision $g_end" = "$revision ." ]; then
`+`    whole "$g_count" && [ "$number" -le "$allowed" ] && granted=$number
`+`  fi
`+`  owner=$((set_owner + granted * pet_min)) stop=$set_stop
`+`  if [ "$granted" -gt 0 ] && [ "$((owner + pull_margin))" -gt "$stop" ]; then stop=$((owner + pull_margin)); fi
`+`  if [ "$owner" -gt "$absolute" ]; then owner=$absolute; fi
`+`  if [ "$stop" -gt "$absolute" ]; then stop=$absolute; fi
`+`}
`+`
`+`extend_if_alive() {
`+`  while [ "$now" -ge "$owner" ] && [ "$granted" -lt "$allowed" ] && [ "$owner" -lt "$absolute" ]; do
`+`    heartbeat_age "$heartbeat_file" && [ "$age" -le "$hb_grace" ] || return 0
`+`    replace "$ram/grant" "$revision $((granted + 1)) ." || return 0
`+`    read_limits || return 0
`+`    note "extended $granted of $allowed: heartbeat $age s old, stops in $((stop - now)) s"
`+`  done
`+`}
`+`
`+`note() {
`+`  wall_clock
`+'  { raw "${wall:-?} ${now:-?} $1" >>"$ram/record"; } 2>/dev/null\n'+`  noted=$((\${noted:-0} + 1))
`+`  [ $((noted % 50)) -eq 0 ] || return 0
`+`  { tail -n 200 "$ram/record" >"$ram/record.$$" && mv -f "$ram/record.$$" "$ram/record"; } 2>/dev/null
`+`}
`+`seated() {
`+`  { read -r seat_pid seat_born seat_rest <"$ram/$1.pid"; } 2>/dev/null && living "$seat_pid" "$seat_born"
`+`}
`+`
`+`take_seat() {
`+`  if [ -e "$ram/off" ] || [ -e "$ram/gone" ] || seated "$role"; then exit 0; fi
`+`  identity "$$" || exit 1
`+`  own_seat="$$ $born"
`+`  replace "$ram/$role.pid" "$own_seat" || exit 1
`+`  { echo -900 >"/proc/$$/oom_score_adj"; } 2>/dev/null
`+`  turn=0 still=0 turn_before=''
`+`}
`+`
`+`on_duty() {
`+`  if [ -e "$ram/off" ] || [ -e "$ram/gone" ]; then return 1; fi
`+`  { read -r seat_pid seat_born seat_rest <"$ram/$role.pid"; } 2>/dev/null && [ "$seat_pid $seat_born" = "$own_seat" ]
`+`}
`+`
`+`beat() {
`+`  turn=$((turn + 1))
`+`  { raw "$turn \${1:--}" 1<>"$ram/$role.beat"; } 2>/dev/null
`+`}
`+`
`+`mind() {
`+`  if seated "$1"; then
`+`    turn_seen=''
`+`    { read -r turn_seen beat_rest <"$ram/$1.beat"; } 2>/dev/null
`+`    if [ -z "$turn_seen" ] || [ "$turn_seen" != "$turn_before" ]; then still=0; else still=$((still + tick)); fi
`+`    turn_before=$turn_seen
`+`    [ "$still" -ge "$stuck_after" ] || return 0
`+`    note "$1 does not turn any more: killed"
`+`    kill -KILL "$seat_pid" 2>/dev/null
`+`  else
`+`    note "$1 is gone: started again"
`+`  fi
`+`  still=0
`+`  start "$1"
`+`}
`+`
`+`start() {
`+`  if command -v setsid >/dev/null 2>&1; then
`+`    setsid sh "$ram/$1" "$ram" </dev/null >/dev/null 2>&1 &
`+`  else
`+`    (trap '' HUP INT QUIT && exec sh "$ram/$1" "$ram") </dev/null >/dev/null 2>&1 &
`+`  fi
`+`}
`+`
`+`rest_a_tick() {
`+`  sleep "$tick" &
`+`  wait "$!"
`+`}
`+`agent=podtrack-switch/1
`+`
`+`find_tool() {
`+`  if curl --version >/dev/null 2>&1; then
`+`    tool=curl
`+`  else
`+`    case $(wget --version 2>/dev/null) in
`+`      'GNU Wget'*) tool=wget ;;
`+`      *)
`+`        if python3 -I -c 'import http.client, ssl' >/dev/null 2>&1; then
`+`          tool=python3
`+`        elif command -v runpodctl >/dev/null 2>&1; then
`+`          tool=runpodctl
`+`        else
`+`          tool=none
`+`        fi
`+`        ;;
`+`    esac
`+`  fi
`+`}
`+`
`+`ca_places="$root/etc/ssl/certs/ca-certificates.crt $root/etc/pki/tls/certs/ca-bundle.crt $root/etc/ssl/ca-bundle.pem \\
`+`$root/etc/ssl/cert.pem $root/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem $root/usr/lib/ssl/cert.pem \\
`+`$root/opt/conda/ssl/cacert.pem $root/usr/local/lib/python3*/*-packages/certifi/cacert.pem \\
`+`$root/usr/lib/python3*/*-packages/certifi/cacert.pem $root/opt/*/lib/python3*/site-packages/certifi/cacert.pem"
`+`ca='' slow_down=0
`+`
`+`http() {
`+`  ask_once "$@"
`+`  [ "$word" = tls-failed ] || return 0
`+`  ca_before=$ca
`+`  for ca_place in '' $ca_places; do
`+`    [ "$ca_place" != "$ca_before" ] || continue
`+`    [ -z "$ca_place" ] || [ -s "$ca_place" ] || continue
`+`    ca=$ca_place
`+`    ask_once "$@"
`+`    [ "$word" = tls-failed ] || return 0
`+`  done
`+`  ca=$ca_before
`+`}
`+`
`+`ask_once() {
`+`  code='' media='' flat='' word=no-answer retry_after=''
`+`  case $tool in
`+`    curl) answer=$(ask_by_curl "$@" | cut_short) ;;
`+`    wget) answer=$(ask_by_wget "$@" | cut_short) ;;
`+`    python3) answer=$(ask_by_python "$@" | cut_short) ;;
`+`    *) word=no-tool && return 0 ;;
`+`  esac
`+`  split_answer
`+`  name_answer
`+`  case $word in
`+`    429 | 503) if span "$retry_after" && [ "$number" -gt "$slow_down" ]; then slow_down=$number; fi ;;
`+`  esac
`+`}
`+`
`+`cut_short() { head -c 65536 | tr -d '\\000\\r'; }
`+`
`+`ask_by_curl() {
`+`  method=$1 url=$2 key=$3
`+`  shift 3
`+`  [ "$#" -eq 0 ] || set -- -H 'Content-Type: application/json' -d "$1"
`+`  [ -z "$ca" ] || set -- --cacert "$ca" "$@"
`+`  raw "header = \\"Authorization: Bearer $key\\"" |
`+`    curl -q -sS -i -m 20 --connect-timeout 10 -A "$agent" -H 'Accept: application/json' -X "$method" "$@" -K - "$url" 2>/dev/null
`+`  raw "\${newline}exit $?"
`+`}
`+`
`+`ask_by_wget() {
`+`  method=$1 url=$2 key=$3
`+`  shift 3
`+`  [ "$#" -eq 0 ] || set -- '--header=Content-Type: application/json' "--body-data=$1"
`+`  [ -z "$ca" ] || set -- "--ca-certificate=$ca" "$@"
`+`  wgetrc=$ram/wgetrc wgetrc_line=''
`+`  { read -r wgetrc_line <"$wgetrc"; } 2>/dev/null
`+`  if [ "$wgetrc_line" != "header = Authorization: Bearer $key" ]; then
`+`    wgetrc=$ram/wgetrc.$$
`+`    write "$wgetrc" "header = Authorization: Bearer $key" || { rm -f "$wgetrc"; return 0; }
`+`  fi
`+`  wget "--config=$wgetrc" -q --save-headers --content-on-error --tries=1 --timeout=20 --max-redirect=0 \\
`+`    "--user-agent=$agent" --header='Accept: application/json' "--method=$method" "$@" -O - "$url" 2>/dev/null
`+`  wget_exit=$?
`+`  [ "$wgetrc" = "$ram/wgetrc" ] || shred_files "$wgetrc"
`+`  raw "\${newline}exit $wget_exit"
`+`}
`+`
`+`by_python='
`+`import http.client, signal, socket, ssl, sys
`+`from urllib.parse import urlsplit
`+`signal.alarm(25)
`+`method, url, ca, agent, body = sys.argv[1:]
`+`headers = {"Authorization": "Bearer " + sys.stdin.readline().strip(), "Accept": "application/json", "User-Agent": agent}
`+`if body:
`+`    headers["Content-Type"] = "application/json"
`+`try:
`+`    to = urlsplit(url)
`+`    if to.scheme == "https":
`+`        trust = ssl.create_default_context(cafile=ca or None)
`+`        door = http.client.HTTPSConnection(to.hostname, to.port, timeout=20, context=trust)
`+`    else:
`+`        door = http.client.HTTPConnection(to.hostname, to.port, timeout=20)
`+`    door.request(method, to.path, body or None, headers)
`+`    answer = door.getresponse()
`+`    head = ["HTTP/1.1 %d -" % answer.status] + ["%s: %s" % pair for pair in answer.getheaders()]
`+`    sys.stdout.buffer.write(("\\n".join(head) + "\\n\\n").encode("latin-1") + answer.read(65536))
`+`except socket.gaierror:
`+`    sys.exit(6)
`+`except ssl.SSLError:
`+`    sys.exit(60)
`+`except socket.timeout:
`+`    sys.exit(28)
`+`except http.client.HTTPException:
`+`    sys.exit(52)
`+`except OSError:
`+`    sys.exit(7)
`+`'
`+`
`+`ask_by_python() {
`+`  method=$1 url=$2 key=$3
`+`  shift 3
`+`  raw "$key" | python3 -I -c "$by_python" "$method" "$url" "$ca" "$agent" "\${1:-}" 2>/dev/null
`+`  raw "\${newline}exit $?"
`+`}
`+`
`+`split_answer() {
`+`  tool_exit=''
`+`  case $answer in
`+`    *"\${newline}exit "*)
`+'      tool_exit=${answer##*"${newline}exit "}\n'+'      answer=${answer%"${newline}exit "*}\n'+`      ;;
`+`  esac
`+`  head='' body=''
`+`  while :; do
`+`    case $answer in HTTP/*) ;; *) break ;; esac
`+`    head=\${answer%%"$newline$newline"*}
`+`    case $answer in *"$newline$newline"*) body=\${answer#*"$newline$newline"} ;; *) body='' ;; esac
`+`    status_line=\${head%%"$newline"*}
`+`    code=\${status_line#* }
`+`    code=\${code%% *}
`+`    case $status_line in *' 1'[0-9][0-9]* | *onnection\\ established*) code='' answer=$body ;; *) break ;; esac
`+`  done
`+`  if [ "$tool" = wget ] && [ -z "$code" ] && [ "$tool_exit" = 0 ]; then code=204; fi
`+`  while [ -n "$head" ]; do
`+`    header=\${head%%"$newline"*}
`+`    case $header in
`+`      [Cc]ontent-[Tt]ype:*) media=\${header#*:} ;;
`+"      [Rr]etry-[Aa]fter:*) retry_after=${header#*:} retry_after=${retry_after# } ;;\n"+`    esac
`+`    case $head in *"$newline"*) head=\${head#*"$newline"} ;; *) head='' ;; esac
`+`  done
`+`  [ -z "$body" ] || flat=$(raw "$body" | tr -d ' \\t\\n')
`+`}
`+`
`+`name_answer() {
`+`  case $code in
`+`    2[0-9][0-9]) case $media in *html*) word=html ;; *) word=ok ;; esac ;;
`+`    404) if says_absent; then word=absent; else word=404-unclear; fi ;;
`+`    [1-5][0-9][0-9]) word=$code ;;
`+`    *) word_of_exit ;;
`+`  esac
`+`}
`+`
`+`says_absent() {
`+`  case $media in *application/problem+json*) ;; *) return 1 ;; esac
`+`  case $flat in *'"detail":"'[!\\"]*) ;; *) return 1 ;; esac
`+`  detail=\${flat#*'"detail":"'}
`+`  case \${detail%%\\"*} in
`+`    *[Pp]ath* | *[Rr]oute* | *[Ee]ndpoint* | *[Uu][Rr][Ll]* | *[Pp]age*) return 1 ;;
`+`    *ccess* | *ermission* | *enied* | *orbidden* | *uthori[sz]* | *navailable* | *aintenance* | *emporar* | *uspend* | *isabled*) return 1 ;;
`+`    *hasmoved* | *wasmoved*) return 1 ;;
`+`    *[Pp]od* | *[Rr]esource* | [Nn]ot[Ff]ound | [Nn]ot[Ff]ound.) ;;
`+`    *) return 1 ;;
`+`  esac
`+`  case $flat in '{'*'"status":404'[,}]*'}' | '{'*'"status":404}') ;; *) return 1 ;; esac
`+`}
`+`
`+`word_of_exit() {
`+`  case $tool-$tool_exit in
`+`    curl-6 | python3-6) word=no-such-host ;;
`+`    curl-7 | wget-4 | python3-7) word=no-connection ;;
`+`    curl-28 | python3-28 | python3-142) word=timed-out ;;
`+`    curl-35 | curl-5[189] | curl-60 | curl-66 | curl-77 | curl-83 | wget-5 | python3-60) word=tls-failed ;;
`+`    *) word=no-answer-$tool_exit ;;
`+`  esac
`+`}
`+`
`+`graphql() {
`+`  http POST "$graphql" "$1" "$2"
`+`  [ "$code" = 200 ] || return 0
`+`  case $media in *json*) ;; *) word=not-json && return 0 ;; esac
`+`  case $flat in
`+`    *'"errors"'*[Uu]nauthorized*) word=unauthorized ;;
`+`    *'"errors"'*POD_NOT_FOUND* | *'"errors"'*notfound*) word=not-found ;;
`+`    *'"errors"'*) word=errors ;;
`+`    '{"data":{'*'}}') word=ok ;;
`+`    *) word=odd ;;
`+`  esac
`+`}
`+`
`+`end_request() { raw "{\\"query\\":\\"mutation { podTerminate(input: {podId: \\\\\\"$1\\\\\\"}) }\\"}"; }
`+`read_request() { raw "{\\"query\\":\\"query { pod(input: {podId: \\\\\\"$1\\\\\\"}) { id desiredStatus } }\\"}"; }
`+`
`+`injected_key() {
`+`  key=$({ tr '\\000' '\\n' <"$root/proc/1/environ"; } 2>/dev/null | sed -n 's/^RUNPOD_API_KEY=//p' | head -n 1)
`+`  if ! usable_key "$key"; then
`+`    key=$(sed -n 's/^export RUNPOD_API_KEY="\\{0,1\\}\\([^"]*\\)"\\{0,1\\}$/\\1/p' "$root/etc/rp_environment" 2>/dev/null | head -n 1)
`+`  fi
`+`  usable_key "$key" || { key='' && return 1; }
`+`}
`+`
`+`usable_key() {
`+`  case $1 in '' | *[!A-Za-z0-9._~+/=-]*) return 1 ;; esac
`+'  [ "${#1}" -ge 4 ] && [ "${#1}" -le 512 ]\n'+`}
`+`said_before=''
`+`say() { raw "$said_before$1=$2"; }
`+`
`+`lack() { [ -n "$reason" ] || reason=$1; }
`+`
`+`role_state() {
`+`  state=dead
`+`  if seated "$1"; then
`+`    case $gait in T | t) state=stopped ;; *) state=alive ;; esac
`+`  fi
`+`  [ "$state" = alive ] || lack "$1-$state"
`+`}
`+`
`+`held() {
`+`  value=''
`+`  while read -r mark_line; do
`+`    case $mark_line in "$1="*) value=\${mark_line#*=} ;; esac
`+`  done <"$ram/mark"
`+`}
`+`
`+`say_mark() {
`+`  held podId && say pod_id "$value"
`+`  held registryId && say registry_id "$value"
`+`  held ownerUuid && say owner_uuid "$value"
`+`}
`+`
`+`say_clocks() {
`+`  if wall_clock; then say pod_now "$wall"; fi
`+`  if clock; then say uptime "$now"; fi
`+`}
`+`
`+`say_fired() {
`+`  if { read -r fired_at fired_why fired_rest <"$ram/fired"; } 2>/dev/null; then
`+`    say fired yes
`+`    say fire_reason "$fired_why"
`+`  else
`+`    say fired no
`+`  fi
`+`  if { read -r fire_tries fire_last <"$ram/tries"; } 2>/dev/null; then
`+`    say fire_tries "$fire_tries"
`+`    say fire_last "$fire_last"
`+`  else
`+`    say fire_tries 0
`+`  fi
`+`}
`+`
`+`say_limits() {
`+`  read_limits || { lack deadline-unreadable && return 0; }
`+`  clock || { lack clock-unreadable && return 0; }
`+`  [ "$now" -ge "$set_at" ] || lack clock-went-back
`+`  say stop_in $((stop - now))
`+`  say owner_in $((owner - now))
`+`  say absolute_in $((absolute - now))
`+`  say extensions_left $((allowed - granted))
`+`  say extensions_granted "$granted"
`+`  say pet_window "$window"
`+`  say last_pet_ago $((now - set_at))
`+`  if { read -r beat_turn beat_revision <"$ram/watchdog.beat"; } 2>/dev/null && [ "$beat_revision" = "$revision" ]; then
`+`    say acted yes
`+`  else
`+`    say acted no
`+`  fi
`+`}
`+`
`+`say_status() {
`+`  reason=''
`+`  say_clocks
`+`  if ! find_ram; then
`+`    find_tool
`+`    say http_tool "$tool"
`+`    say armed no
`+`    say reason not-installed
`+`    return 0
`+`  fi
`+`  say place "\${ram#"$root"}"
`+`  say_mark
`+`  if read_conf; then
`+`    say key_source "$key_source"
`+`    say ca "\${ca:-default}"
`+`    say_limits
`+`  else
`+`    lack conf-unreadable
`+`  fi
`+`  role_state watchdog
`+`  say watchdog "$state"
`+`  role_state supervisor
`+`  say supervisor "$state"
`+`  say_fired
`+`  find_tool
`+`  say http_tool "$tool"
`+`  [ "$tool" != none ] || lack no-http-tool
`+`  if [ -s "$ram/credential" ]; then
`+`    say credential present
`+`  else
`+`    say credential absent
`+`    [ "$tool" = runpodctl ] || lack no-credential
`+`  fi
`+`  if [ -e "$ram/gone" ]; then reason=gone-proven; fi
`+`  if [ -z "$reason" ]; then say armed yes; else say armed no && say reason "$reason"; fi
`+`}
`+`refuse() {
`+`  say refused "$1"
`+`  say_status
`+`  exit 3
`+`}
`+`
`+`words() {
`+`  for word_given in "$@"; do
`+`    word_value=\${word_given#*=}
`+`    case $word_given in
`+`      stop_in=*) w_stop_in=$word_value ;;
`+`      owner_in=*) w_owner_in=$word_value ;;
`+`      absolute_in=*) w_absolute_in=$word_value ;;
`+`      extensions_left=*) w_extensions_left=$word_value ;;
`+`      pet_window=*) w_pet_window=$word_value ;;
`+`      pod_id=*) w_pod_id=$word_value ;;
`+`      registry_id=*) w_registry_id=$word_value ;;
`+`      owner_uuid=*) w_owner_uuid=$word_value ;;
`+`      rest=*) w_rest=\${word_value%/} ;;
`+`      graphql=*) w_graphql=$word_value ;;
`+`      ca=*) w_ca=$word_value ;;
`+`      key_source=*) w_key_source=$word_value ;;
`+`      pull_margin=*) w_pull_margin=$word_value ;;
`+`      pet_min=*) w_pet_min=$word_value ;;
`+`      hb_grace=*) w_hb_grace=$word_value ;;
`+`      tick=*) w_tick=$word_value ;;
`+`      backoff_first=*) w_backoff_first=$word_value ;;
`+`      backoff_last=*) w_backoff_last=$word_value ;;
`+`      stuck_after=*) w_stuck_after=$word_value ;;
`+`      *) refuse "unknown-word" ;;
`+`    esac
`+`  done
`+`}
`+`
`+`check_deadlines() {
`+`  span "\${w_absolute_in:-}" && [ "$number" -ge 1 ] || refuse bad-absolute_in
`+`  w_absolute_in=$number
`+`  span "\${w_stop_in:-}" && [ "$number" -ge 1 ] && [ "$number" -le "$w_absolute_in" ] || refuse bad-stop_in
`+`  w_stop_in=$number
`+`  span "\${w_owner_in:-}" && [ "$number" -le "$w_absolute_in" ] || refuse bad-owner_in
`+`  w_owner_in=$number
`+`  whole "\${w_extensions_left:-}" && [ "$number" -le 1000 ] || refuse bad-extensions_left
`+`  w_extensions_left=$number
`+`  span "\${w_pet_window:-}" || refuse bad-pet_window
`+`  w_pet_window=$number
`+`}
`+`
`+`plain() {
`+`  case $1 in '' | *[!A-Za-z0-9._:/@#%+-]*) return 1 ;; esac
`+`  [ "\${#1}" -le 2000 ]
`+`}
`+`
`+`await_act() {
`+`  clock || return 1
`+`  await_until=$((now + 3 * tick + 6)) await_turns=300
`+`  while clock && [ "$now" -le "$await_until" ] && [ "$await_turns" -gt 0 ]; do
`+`    await_turns=$((await_turns - 1))
`+`    [ ! -e "$ram/fired" ] || return 1
`+`    beat_revision=''
`+`    { read -r beat_turn beat_revision <"$ram/watchdog.beat"; } 2>/dev/null
`+`    if [ "$beat_revision" = "$revision" ] && seated watchdog && seated supervisor; then return 0; fi
`+`    pause
`+`  done
`+`  return 1
`+`}
`+`
`+`pet() {
`+`  find_ram || refuse not-installed
`+`  read_conf || refuse conf-unreadable
`+`  [ ! -e "$ram/fired" ] || refuse fired
`+`  seated watchdog || seated supervisor || refuse dead
`+`  if [ -z "\${w_pet_window:-}" ] && read_deadline; then w_pet_window=$window; fi
`+`  check_deadlines
`+`  write_deadline "$w_stop_in" "$w_owner_in" "$w_absolute_in" "$w_extensions_left" "$w_pet_window" || refuse no-room
`+`  seated watchdog && kill -USR1 "$seat_pid" 2>/dev/null
`+`  pet_exit=0
`+`  await_act || pet_exit=1
`+`  if [ -e "$ram/fired" ]; then refuse fired; fi
`+`  [ "$pet_exit" -eq 0 ] || say refused not-acted-on
`+`  say_status
`+`  return "$pet_exit"
`+`}
`+`
`+`stand_down() {
`+`  remember off || return 1
`+`  clock
`+`  down_until=$((now + 10))
`+`  for role in supervisor watchdog; do
`+`    while seated "$role"; do
`+`      kill -KILL "$seat_pid" 2>/dev/null
`+`      clock && [ "$now" -le "$down_until" ] || return 1
`+`      pause
`+`    done
`+`  done
`+`}
`+`
`+`disarm() {
`+`  while find_ram; do
`+`    shred_files "$ram/credential" "$ram/wgetrc" "$ram"/wgetrc.*
`+`    stand_down || refuse still-running
`+`    rm -rf "$ram"
`+`  done
`+`  say_status
`+`}
`+`
`+`take_key() {
`+`  key=''
`+`  case \${w_key_source:-} in
`+`    given | explicit | deadman | full)
`+`      IFS= read -r key || [ -n "$key" ] || return 1
`+`      key=\${key%"$(raw x | tr x '\\r')"}
`+`      ;;
`+`    injected) injected_key || return 1 ;;
`+`    planted) find_ram && { read -r key <"$ram/credential"; } 2>/dev/null || return 1 ;;
`+`    *) return 1 ;;
`+`  esac
`+`  usable_key "$key"
`+`}
`+`
`+`check() {
`+'  plain "${w_pod_id:-}" && plain "${w_rest:-}" && plain "${w_graphql:-}" || refuse bad-address\n'+`  rest=$w_rest graphql=$w_graphql
`+`  if ! find_ram; then
`+`    not_here=''
`+`    for place in $memory_places; do
`+`      if open_ram "$place"; then break; fi
`+`      not_here="$not_here,$place:$why_not"
`+`    done
`+`    [ -n "$ram" ] || refuse "no-ram$not_here"
`+`  fi
`+`  find_tool
`+`  say http_tool "$tool"
`+`  if ! take_key; then
`+`    say key absent
`+`    rmdir "$ram" 2>/dev/null
`+`    return 1
`+`  fi
`+`  say key usable
`+`  http GET "$rest/v2/pods/$w_pod_id" "$key"
`+`  say read_rest "$word"
`+`  http DELETE "$rest/v2/pods/podtrack-no-such-pod" "$key"
`+`  say end_rest "$word"
`+`  graphql "$key" "$(read_request "$w_pod_id")"
`+`  case $flat in '{"data":{"pod":null}}') word=absent ;; esac
`+`  say read_graphql "$word"
`+`  graphql "$key" "$(end_request podtrack-no-such-pod)"
`+`  say end_graphql "$word"
`+`  say ca "\${ca:-default}"
`+`  rmdir "$ram" 2>/dev/null
`+`  return 0
`+`}
`+`
`+`beat_for_job() {
`+`  beat_file=\${HOME:-$root/root}/.podtrack_job_alive
`+`  if [ -d "$beat_file" ] || [ -L "$beat_file" ]; then say refused beat-file-blocked && exit 3; fi
`+`  if date -u +%Y-%m-%dT%H:%M:%SZ >"$beat_file.$$" && mv -f "$beat_file.$$" "$beat_file"; then
`+`    say beat written
`+`  else
`+`    rm -f "$beat_file.$$"
`+`    say refused beat-not-written
`+`    exit 3
`+`  fi 2>/dev/null
`+`}
`+`
`+`settle_in
`+`verb=\${1:-status}
`+`[ "$#" -eq 0 ] || shift
`+`words "$@"
`+`case $verb in
`+`  status) say_status ;;
`+`  pet) pet ;;
`+`  check) check ;;
`+`  mark) if find_ram; then say_mark; else say reason not-installed && exit 1; fi ;;
`+`  record) if find_ram; then tail -n 40 "$ram/record" 2>/dev/null | cut -c 1-400 | sed 's/^/record| /'; fi ;;
`+`  beat) beat_for_job ;;
`+`  disarm) disarm ;;
`+`  *) refuse unknown-verb ;;
`+`esac
`}})};