import { useMutation } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import { askPasskey, canSuggestPasskeys, suggestPasskeys, withdrawPasskeys } from '../../lib/passkeys.ts'
import { signInWithPasskey } from '../../lib/session.ts'

/** The server keeps a challenge for five minutes; the page may stand open for longer. */
const renewAfterMs = 4 * 60_000

/** Signs in with a passkey: by a button, and among the suggestions of the e-mail field for as long as it is shown. */
export function usePasskeySignIn(isOffered: boolean, onDone: () => void) {
  const [failure, setFailure] = useState<Error | null>(null)
  const [round, setRound] = useState(0)
  const chosen = useMutation({
    mutationFn: () => signInWithPasskey(askPasskey),
    onSuccess: onDone,
    onError: setFailure,
  })
  const isSuggesting = isOffered && !chosen.isPending

  const suggest = useEffectEvent(async (isOver: () => boolean) => {
    let isTaken = false
    try {
      if (!(await canSuggestPasskeys()) || isOver()) return
      await signInWithPasskey(async (options) => {
        const credential = await suggestPasskeys(options)
        isTaken = true
        return credential
      })
      onDone()
    } catch (error) {
      // Nobody asked for the suggestions: only a passkey that was taken and then refused is worth a word.
      if (!isTaken) return
      setFailure(error as Error)
      setRound((last) => last + 1)
    }
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: each round offers them anew
  useEffect(() => {
    if (!isSuggesting) return
    let isOver = false
    const renewal = setTimeout(() => setRound((last) => last + 1), renewAfterMs)
    void suggest(() => isOver)
    return () => {
      isOver = true
      clearTimeout(renewal)
      withdrawPasskeys()
    }
  }, [isSuggesting, round])

  return {
    failure,
    isPending: chosen.isPending,
    choose: () => {
      setFailure(null)
      chosen.mutate()
    },
    forgetFailure: () => setFailure(null),
  }
}
