import { useMutation } from '@tanstack/react-query'
import { ApiError } from '../../../lib/api-error.ts'
import type { Challenge } from '../../../lib/session.ts'
import { useCountdown } from '../../../lib/use-countdown.ts'

export interface AnswerProps {
  challenge: Challenge
  onDone: () => void
  onExpired: () => void
}

/** Answers the challenge. An expired challenge leads back; too many tries start a countdown. */
export function useAnswer<Given>(answer: (given: Given) => Promise<unknown>, { onDone, onExpired }: AnswerProps) {
  const wait = useCountdown()
  const attempt = useMutation({
    mutationFn: answer,
    onSuccess: onDone,
    onError: (error) => {
      const hasExpired = error instanceof ApiError && error.status === 401 && error.code !== 'IP_NOT_ALLOWED'
      if (hasExpired) onExpired()
      else wait.startAfter(error)
    },
  })
  return {
    give: attempt.mutate,
    error: attempt.error,
    isPending: attempt.isPending,
    waitSeconds: wait.seconds,
  }
}
