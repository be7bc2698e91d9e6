# The end of the pod: ask, then ask whether it is gone, again and again. Asking proves nothing, silence proves nothing, and a
# stopped pod is not gone. The proof is one accepted request *and* a well-formed answer that there is no such pod.

# fire_try: one round with each key there is, until one is accepted. Succeeds only on proof. `told` is the line for the record.
fire_try() {
  told='' tried_key=''
  find_tool
  { read -r key <"$ram/credential"; } 2>/dev/null || key=''
  if usable_key "$key"; then
    attempt "$key_source" && return 0
    tried_key=$key
  fi
  if unheeded && injected_key && [ "$key" != "$tried_key" ]; then
    attempt injected && return 0
  fi
  if unheeded && command -v runpodctl >/dev/null 2>&1; then by_runpodctl; fi
  return 1
}

# unheeded: nobody accepted yet, or what was accepted has not come about in three tries: then the other keys are not spared.
unheeded() { [ -z "$accepted" ] || [ "$tries" -gt 3 ]; }

# attempt NAME: one round with the key in `key`. What REST does not accept is asked of GraphQL: the pod's own key may be
# allowed there only.
attempt() {
  attempt_key=$key
  beat "$revision"
  http DELETE "$rest/v2/pods/$pod_id" "$attempt_key"
  weigh_acceptance
  told="$told key=$1 delete=$word"
  if [ "$word" = ok ]; then
    accept
  else
    beat "$revision"
    graphql "$attempt_key" "$(end_request "$pod_id")"
    if [ "$word" = ok ]; then
      case $flat in '{"data":{"podTerminate":null}}') accept ;; *) word=odd ;; esac
    fi
    told="$told graphql=$word"
  fi
  [ -n "$accepted" ] && look "$attempt_key"
}

# weigh_acceptance: a 2xx accepts only if it says nothing, or JSON without an error; whatever stands between says 200 to everything.
weigh_acceptance() {
  [ "$word" = ok ] || return 0
  case $flat in
    '') ;;
    '{'*'"error":'[!n]* | '{'*'"errors":'[!n[]* | '{'*'"errors":['[!]]* | '{'*'"success":false'*) word=errors ;;
    '{'*'}') ;;
    *) word=odd ;;
  esac
}

# An accepted request is remembered across a respawn: the same DELETE later answers 404, and that alone would prove nothing.
accept() {
  accepted=yes
  remember accepted
}

# look KEY: is the pod gone? By REST; where this key may not read there, by GraphQL.
look() {
  beat "$revision"
  http GET "$rest/v2/pods/$pod_id" "$1"
  if [ "$word" = ok ]; then read_status '"status":"'; fi
  told="$told read=$word"
  case $word in
    absent | TERMINATED) return 0 ;;
    [A-Z]*) return 1 ;;
  esac
  beat "$revision"
  graphql "$1" "$(read_request "$pod_id")"
  if [ "$word" = ok ]; then
    case $flat in '{"data":{"pod":null}}') word=absent ;; *) read_status '"desiredStatus":"' ;; esac
  fi
  told="$told read-graphql=$word"
  case $word in absent | TERMINATED) return 0 ;; esac
  return 1
}

# read_status FIELD: the pod's status in `word`. The pod's own settings stand in the same answer and may hold a field of the same
# name, so TERMINATED counts only when no field of that name says anything else.
read_status() {
  word=odd
  case $media in *json*) ;; *) return 0 ;; esac
  case $flat in '{'*"\"id\":\"$pod_id\""*'}') ;; *) return 0 ;; esac
  status_rest=$flat
  while :; do
    case $status_rest in *"$1"*) status_rest=${status_rest#*"$1"} ;; *) break ;; esac
    status_word=${status_rest%%\"*}
    case $status_word in '' | *[!A-Z_]*) word=UNKNOWN && return 0 ;; esac
    word=$status_word
    [ "$word" = TERMINATED ] || return 0
  done
}

# The provider's own tool, where it is there: old and new spelling. It finds its key by itself; its word is no proof.
by_runpodctl() {
  beat "$revision"
  runpodctl remove pod "$pod_id" </dev/null >/dev/null 2>&1 || runpodctl pod delete "$pod_id" </dev/null >/dev/null 2>&1
  told="$told runpodctl=exit-$?"
}

# conclude: the pod is proven gone; the key is worth nothing to us any more, and everything to others.
conclude() {
  note "gone: proven, key destroyed"
  # The key first: where no more files can be made, it leaves the place of one.
  shred_files "$ram/credential" "$ram/wgetrc" "$ram"/wgetrc.*
  remember gone
}
