# The job's heartbeat: how old it is by the pod's own clock, and when that cannot be told.

# A time further ahead than this is not believed.
most_ahead=120

# two DIGITS MOST: a two-digit field of a date, at most MOST, left in `number`.
two() {
  case $1 in [0-9][0-9]) whole "$1" && [ "$number" -le "$2" ] ;; *) return 1 ;; esac
}

# epoch_of TEXT: seconds since 1970 of an RFC 3339 time with a zone, in `epoch`. By hand: `date -d` of GNU and of BusyBox read
# different things. A text without a zone says no instant. (In a shell that counts in 32 bits both this and the wall clock wrap
# in 2038, and the age, their difference, stays right.)
epoch_of() {
  case $1 in
    [0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9][Tt\ ][0-9][0-9]:[0-9][0-9]:[0-9][0-9]?*) ;;
    *) return 1 ;;
  esac
  zone=${1#???????????????????}
  case $zone in
    .[0-9]*) zone=${zone#.} zone=${zone#"${zone%%[!0-9]*}"} ;;
  esac
  field=$1
  whole "${field%%-*}" && year=$number && field=${field#*-} || return 1
  [ "$year" -ge 1970 ] && [ "$year" -le 2100 ] || return 1
  two "${field%%-*}" 12 && month=$number && field=${field#*-} || return 1
  two "${field%"${field#??}"}" 31 && day=$number && field=${field#???} || return 1
  [ "$month" -ge 1 ] && [ "$day" -ge 1 ] || return 1
  case $month in
    2) if [ $((year % 4)) -eq 0 ] && { [ $((year % 100)) -ne 0 ] || [ $((year % 400)) -eq 0 ]; }; then last=29; else last=28; fi ;;
    4 | 6 | 9 | 11) last=30 ;;
    *) last=31 ;;
  esac
  [ "$day" -le "$last" ] || return 1
  two "${field%%:*}" 23 && hour=$number && field=${field#*:} || return 1
  two "${field%%:*}" 59 && minute=$number && field=${field#*:} || return 1
  two "${field%"${field#??}"}" 60 && second=$number || return 1
  zone_seconds "$zone" || return 1
  # Days since 1970: the year begins in March, so that the leap day is its last.
  if [ "$month" -le 2 ]; then year=$((year - 1)) month=$((month + 12)); fi
  days=$((365 * year + year / 4 - year / 100 + year / 400 + (153 * (month - 3) + 2) / 5 + day - 1 - 719468))
  epoch=$((days * 86400 + hour * 3600 + minute * 60 + second - east))
}

# zone_seconds ZONE: seconds east of UTC of Z, +hh:mm or +hhmm, in `east`.
zone_seconds() {
  east=0
  case $1 in
    Z | z) return 0 ;;
    [+-][0-9][0-9]:[0-9][0-9] | [+-][0-9][0-9][0-9][0-9]) ;;
    *) return 1 ;;
  esac
  zone_digits=${1#?}
  two "${zone_digits%"${zone_digits#??}"}" 23 && east=$((number * 3600)) || return 1
  two "${zone_digits#"${zone_digits%??}"}" 59 && east=$((east + number * 60)) || return 1
  case $1 in -*) east=$((0 - east)) ;; esac
}

# moment TEXT: is TEXT seconds since 1970, before the year 2128? Beyond, a shell that counts in 32 bits takes them for other
# years, and some shells end at a number that they cannot hold.
moment() {
  case $1 in '' | 0?* | *[!0-9]* | [5-9]????????? | ???????????*) return 1 ;; esac
}

# wall_clock: seconds since 1970 by the pod's clock, in `wall`.
wall_clock() {
  wall=$(date +%s 2>/dev/null)
  moment "$wall" || { wall='' && return 1; }
}

# modified FILE: when FILE was last written, in `mtime`.
modified() {
  mtime=$(stat -L -c %Y "$1" 2>/dev/null) || mtime=$(date -r "$1" +%s 2>/dev/null) || mtime=''
  moment "$mtime" || { mtime='' && return 1; }
}

# first_words FILE: the beginning of FILE as far as it may be a date, in `words`. A FIFO or device is never opened.
first_words() {
  words=''
  [ -f "$1" ] && words=$(dd if="$1" bs=64 count=1 2>/dev/null | tr '\n' '#' | tr -cd '0-9TtZz:.+ #-')
  words=${words%%#*}
  words=${words#"${words%%[! ]*}"} words=${words%"${words##*[! ]}"}
}

# heartbeat_age FILE: seconds since the job's last sign of life, in `age`: the newer of what the file says and when it was
# written, both by this pod's clock; what lies too far ahead is not believed. Fails when nothing is left.
heartbeat_age() {
  age=''
  [ -f "$1" ] && wall_clock || return 1
  first_words "$1"
  if epoch_of "$words"; then believe "$((wall - epoch))"; fi
  if modified "$1"; then believe "$((wall - mtime))"; fi
  [ -n "$age" ]
}

believe() {
  [ "$1" -ge "-$most_ahead" ] || return 0
  if [ -z "$age" ] || [ "$1" -lt "$age" ]; then age=$1; fi
  [ "$age" -ge 0 ] || age=0
}
