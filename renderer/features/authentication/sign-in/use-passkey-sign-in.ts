import { useMutation } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import { ApiError } from '../../../lib/api-error.ts'
import { askPasskey, cancelPasskeyPrompt, canSuggestPasskeys, suggestPasskeys } from '../../../lib/passkeys.ts'
import { signInWithPasskey } from '../../../lib/session.ts'

/** The server keeps a challenge for five minutes, but the page may stay open longer. */
const renewAfterMs = 4 * 60_000
/** Fetching a challenge fails silently, because nothing waits for it. */
const retryAfterMs = 30_000

/** Signs in with a passkey: by a button, and through the suggestions of the email field while it is shown. */
export function usePasskeySignIn(isOffered: boolean, onDone: () => void) {
  const [failure, setFailure] = useState<Error | null>(null)
  // Suggesting again would loop with an authenticator that answers by itself.
  const [isRefused, setRefused] = useState(false)
  const [round, setRound] = useState(0)
  const fail = (error: Error) => {
    setFailure(error)
    if (error instanceof ApiError) setRefused(true)
  }
  const chosen = useMutation({
    mutationFn: () => signInWithPasskey(askPasskey),
    onSuccess: onDone,
    onError: fail,
  })
  const isSuggesting = isOffered && !isRefused && !chosen.isPending

  /** False if no challenge could be fetched. */
  const suggest = useEffectEvent(async (isOver: () => boolean): Promise<boolean> => {
    let isTaken = false
    try {
      if (!(await canSuggestPasskeys()) || isOver()) return true
      await signInWithPasskey(async (options) => {
        if (isOver()) throw new Error('the page has gone on')
        const credential = await suggestPasskeys(options)
        isTaken = true
        return credential
      })
      onDone()
      return true
    } catch (error) {
      // The user did not ask for suggestions, so only a chosen and refused passkey shows an error.
      if (isTaken) fail(error as Error)
      return isTaken || !(error instanceof ApiError)
    }
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: each round offers them anew
  useEffect(() => {
    if (!isSuggesting) return
    let isOver = false
    const offerAnew = () => setRound((last) => last + 1)
    let timer = setTimeout(offerAnew, renewAfterMs)
    void suggest(() => isOver).then((hadChallenge) => {
      if (hadChallenge || isOver) return
      clearTimeout(timer)
      timer = setTimeout(offerAnew, retryAfterMs)
    })
    return () => {
      isOver = true
      clearTimeout(timer)
      cancelPasskeyPrompt()
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
