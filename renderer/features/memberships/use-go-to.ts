import { useMutation } from '@tanstack/react-query'
import { notifyFailed } from '../../lib/notify.ts'
import { enterTenant } from '../../lib/session.ts'
import { giveUpUnsaved, hasUnsaved } from '../../lib/unsaved.ts'
import { agreesToLeave } from '../../ui/agrees-to-leave.tsx'

/** Goes on in another tenant: with a page that knows nothing of the one before. */
export function useGoTo() {
  const enter = useMutation({
    mutationFn: enterTenant,
    onSuccess: () => {
      giveUpUnsaved()
      location.assign('/')
    },
    onError: notifyFailed('You are still where you were'),
  })
  const goTo = async (membershipId: string) => {
    if (!hasUnsaved() || (await agreesToLeave())) enter.mutate(membershipId)
  }
  return { goTo, isPending: enter.isPending }
}
