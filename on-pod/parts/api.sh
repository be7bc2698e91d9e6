# One request to the provider. The key goes to the HTTP tool through a pipe or a file in memory (0600): never as an argument,
# in the environment, in a URL or into the record. BusyBox's wget takes headers only as arguments, so it is not used.

agent=podtrack-switch/1

# find_tool: the HTTP tool of this image in `tool`: curl, wget (GNU), python3, runpodctl (which brings its own key), or none.
find_tool() {
  if curl --version >/dev/null 2>&1; then
    tool=curl
  else
    case $(wget --version 2>/dev/null) in
      'GNU Wget'*) tool=wget ;;
      *)
        if python3 -I -c 'import http.client, ssl' >/dev/null 2>&1; then
          tool=python3
        elif command -v runpodctl >/dev/null 2>&1; then
          tool=runpodctl
        else
          tool=none
        fi
        ;;
    esac
  fi
}

# Where images keep the authorities that they trust. A slim image often has none where its tool looks, and some elsewhere.
ca_places="$root/etc/ssl/certs/ca-certificates.crt $root/etc/pki/tls/certs/ca-bundle.crt $root/etc/ssl/ca-bundle.pem \
$root/etc/ssl/cert.pem $root/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem $root/usr/lib/ssl/cert.pem \
$root/opt/conda/ssl/cacert.pem $root/usr/local/lib/python3*/*-packages/certifi/cacert.pem \
$root/usr/lib/python3*/*-packages/certifi/cacert.pem $root/opt/*/lib/python3*/site-packages/certifi/cacert.pem"
ca='' slow_down=0

# http METHOD URL KEY [JSON]: leaves status (`code`, empty = no answer), content type (`media`), body without blanks (`flat`),
# and `word`, one word for all of it. Redirects are not followed: they would carry the key elsewhere. A server that is not
# trusted got nothing of the request; it is asked again by each other set of authorities of the image, and the one that
# trusts it stays in `ca` (empty = the tool's own).
http() {
  ask_once "$@"
  [ "$word" = tls-failed ] || return 0
  ca_before=$ca
  # shellcheck disable=SC2086 # splitting and globbing are what is wanted
  for ca_place in '' $ca_places; do
    [ "$ca_place" != "$ca_before" ] || continue
    [ -z "$ca_place" ] || [ -s "$ca_place" ] || continue
    ca=$ca_place
    ask_once "$@"
    [ "$word" = tls-failed ] || return 0
  done
  ca=$ca_before
}

ask_once() {
  code='' media='' flat='' word=no-answer retry_after=''
  case $tool in
    curl) answer=$(ask_by_curl "$@" | cut_short) ;;
    wget) answer=$(ask_by_wget "$@" | cut_short) ;;
    python3) answer=$(ask_by_python "$@" | cut_short) ;;
    *) word=no-tool && return 0 ;;
  esac
  split_answer
  name_answer
  # How long the provider asks to be left alone; the longest of one try counts.
  case $word in
    429 | 503) if span "$retry_after" && [ "$number" -gt "$slow_down" ]; then slow_down=$number; fi ;;
  esac
}

cut_short() { head -c 65536 | tr -d '\000\r'; }

ask_by_curl() {
  method=$1 url=$2 key=$3
  shift 3
  [ "$#" -eq 0 ] || set -- -H 'Content-Type: application/json' -d "$1"
  [ -z "$ca" ] || set -- --cacert "$ca" "$@"
  raw "header = \"Authorization: Bearer $key\"" |
    curl -q -sS -i -m 20 --connect-timeout 10 -A "$agent" -H 'Accept: application/json' -X "$method" "$@" -K - "$url" 2>/dev/null
  raw "${newline}exit $?"
}

ask_by_wget() {
  method=$1 url=$2 key=$3
  shift 3
  [ "$#" -eq 0 ] || set -- '--header=Content-Type: application/json' "--body-data=$1"
  [ -z "$ca" ] || set -- "--ca-certificate=$ca" "$@"
  # The planted key has its file since the install: at the deadline there may be no room for a new one.
  wgetrc=$ram/wgetrc wgetrc_line=''
  { read -r wgetrc_line <"$wgetrc"; } 2>/dev/null
  if [ "$wgetrc_line" != "header = Authorization: Bearer $key" ]; then
    wgetrc=$ram/wgetrc.$$
    write "$wgetrc" "header = Authorization: Bearer $key" || { rm -f "$wgetrc"; return 0; }
  fi
  wget "--config=$wgetrc" -q --save-headers --content-on-error --tries=1 --timeout=20 --max-redirect=0 \
    "--user-agent=$agent" --header='Accept: application/json' "--method=$method" "$@" -O - "$url" 2>/dev/null
  wget_exit=$?
  [ "$wgetrc" = "$ram/wgetrc" ] || shred_files "$wgetrc"
  raw "${newline}exit $wget_exit"
}

# For images that have neither curl nor GNU wget. Arguments: method, URL, authorities (or empty), agent, JSON (or empty); the
# key comes on stdin. Exit codes are those of curl.
by_python='
import http.client, signal, socket, ssl, sys
from urllib.parse import urlsplit
signal.alarm(25)
method, url, ca, agent, body = sys.argv[1:]
headers = {"Authorization": "Bearer " + sys.stdin.readline().strip(), "Accept": "application/json", "User-Agent": agent}
if body:
    headers["Content-Type"] = "application/json"
try:
    to = urlsplit(url)
    if to.scheme == "https":
        trust = ssl.create_default_context(cafile=ca or None)
        door = http.client.HTTPSConnection(to.hostname, to.port, timeout=20, context=trust)
    else:
        door = http.client.HTTPConnection(to.hostname, to.port, timeout=20)
    door.request(method, to.path, body or None, headers)
    answer = door.getresponse()
    head = ["HTTP/1.1 %d -" % answer.status] + ["%s: %s" % pair for pair in answer.getheaders()]
    sys.stdout.buffer.write(("\n".join(head) + "\n\n").encode("latin-1") + answer.read(65536))
except socket.gaierror:
    sys.exit(6)
except ssl.SSLError:
    sys.exit(60)
except socket.timeout:
    sys.exit(28)
except http.client.HTTPException:
    sys.exit(52)
except OSError:
    sys.exit(7)
'

ask_by_python() {
  method=$1 url=$2 key=$3
  shift 3
  raw "$key" | python3 -I -c "$by_python" "$method" "$url" "$ca" "$agent" "${1:-}" 2>/dev/null
  raw "${newline}exit $?"
}

# split_answer: `answer` is header lines, an empty line, the body, and the tool's own exit code in the last line.
split_answer() {
  tool_exit=''
  case $answer in
    *"${newline}exit "*)
      tool_exit=${answer##*"${newline}exit "}
      answer=${answer%"${newline}exit "*}
      ;;
  esac
  head='' body=''
  while :; do
    case $answer in HTTP/*) ;; *) break ;; esac
    head=${answer%%"$newline$newline"*}
    case $answer in *"$newline$newline"*) body=${answer#*"$newline$newline"} ;; *) body='' ;; esac
    status_line=${head%%"$newline"*}
    code=${status_line#* }
    code=${code%% *}
    # An interim answer, or that of a proxy, stands before the real one.
    case $status_line in *' 1'[0-9][0-9]* | *onnection\ established*) code='' answer=$body ;; *) break ;; esac
  done
  # wget saves no headers when there is no body.
  if [ "$tool" = wget ] && [ -z "$code" ] && [ "$tool_exit" = 0 ]; then code=204; fi
  while [ -n "$head" ]; do
    header=${head%%"$newline"*}
    case $header in
      [Cc]ontent-[Tt]ype:*) media=${header#*:} ;;
      [Rr]etry-[Aa]fter:*) retry_after=${header#*:} retry_after=${retry_after# } ;;
    esac
    case $head in *"$newline"*) head=${head#*"$newline"} ;; *) head='' ;; esac
  done
  [ -z "$body" ] || flat=$(raw "$body" | tr -d ' \t\n')
}

# name_answer: `word`. `absent` is a 404 that speaks of the pod; any other 404 speaks of the path, of who may see it, or of nothing.
name_answer() {
  case $code in
    2[0-9][0-9]) case $media in *html*) word=html ;; *) word=ok ;; esac ;;
    404) if says_absent; then word=absent; else word=404-unclear; fi ;;
    [1-5][0-9][0-9]) word=$code ;;
    *) word_of_exit ;;
  esac
}

says_absent() {
  case $media in *application/problem+json*) ;; *) return 1 ;; esac
  case $flat in *'"detail":"'[!\"]*) ;; *) return 1 ;; esac
  detail=${flat#*'"detail":"'}
  case ${detail%%\"*} in
    *[Pp]ath* | *[Rr]oute* | *[Ee]ndpoint* | *[Uu][Rr][Ll]* | *[Pp]age*) return 1 ;;
    *ccess* | *ermission* | *enied* | *orbidden* | *uthori[sz]* | *navailable* | *aintenance* | *emporar* | *uspend* | *isabled*) return 1 ;;
    *hasmoved* | *wasmoved*) return 1 ;;
    *[Pp]od* | *[Rr]esource* | [Nn]ot[Ff]ound | [Nn]ot[Ff]ound.) ;;
    *) return 1 ;;
  esac
  case $flat in '{'*'"status":404'[,}]*'}' | '{'*'"status":404}') ;; *) return 1 ;; esac
}

word_of_exit() {
  case $tool-$tool_exit in
    curl-6 | python3-6) word=no-such-host ;;
    curl-7 | wget-4 | python3-7) word=no-connection ;;
    curl-28 | python3-28 | python3-142) word=timed-out ;;
    curl-35 | curl-5[189] | curl-60 | curl-66 | curl-77 | curl-83 | wget-5 | python3-60) word=tls-failed ;;
    *) word=no-answer-$tool_exit ;;
  esac
}

# graphql KEY JSON: like http; `word` is ok only for a JSON answer without errors.
graphql() {
  http POST "$graphql" "$1" "$2"
  [ "$code" = 200 ] || return 0
  case $media in *json*) ;; *) word=not-json && return 0 ;; esac
  case $flat in
    *'"errors"'*[Uu]nauthorized*) word=unauthorized ;;
    *'"errors"'*POD_NOT_FOUND* | *'"errors"'*notfound*) word=not-found ;;
    *'"errors"'*) word=errors ;;
    '{"data":{'*'}}') word=ok ;;
    *) word=odd ;;
  esac
}

# The two GraphQL requests, for the pod PODID; the id was checked at install.
end_request() { raw "{\"query\":\"mutation { podTerminate(input: {podId: \\\"$1\\\"}) }\"}"; }
read_request() { raw "{\"query\":\"query { pod(input: {podId: \\\"$1\\\"}) { id desiredStatus } }\"}"; }

# injected_key: the key that the provider put into the container, in `key`; a login session does not get it by itself.
injected_key() {
  key=$({ tr '\000' '\n' <"$root/proc/1/environ"; } 2>/dev/null | sed -n 's/^RUNPOD_API_KEY=//p' | head -n 1)
  if ! usable_key "$key"; then
    key=$(sed -n 's/^export RUNPOD_API_KEY="\{0,1\}\([^"]*\)"\{0,1\}$/\1/p' "$root/etc/rp_environment" 2>/dev/null | head -n 1)
  fi
  usable_key "$key" || { key='' && return 1; }
}

# usable_key KEY: only characters that mean nothing to a configuration file or a header.
usable_key() {
  case $1 in '' | *[!A-Za-z0-9._~+/=-]*) return 1 ;; esac
  [ "${#1}" -ge 4 ] && [ "${#1}" -le 512 ]
}
