import { Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { enterTenant } from '../../lib/session.ts'
import { giveUpUnsaved, hasUnsaved } from '../../lib/unsaved.ts'
import { agrees } from '../../ui/agrees.tsx'

/** Goes on in another tenant: with a page that knows nothing of the one before. */
export function useGoTo() {
  const enter = useMutation({
    mutationFn: enterTenant,
    onSuccess: () => {
      giveUpUnsaved()
      location.assign('/')
    },
  })
  const goTo = async (membershipId: string) => {
    const isFree = !hasUnsaved() || (await agrees(leaving))
    if (isFree) enter.mutate(membershipId)
  }
  return { goTo, isPending: enter.isPending, error: enter.error }
}

const leaving = {
  title: 'Leave without saving?',
  words: <Text size="sm">What you typed on this page is not saved, and is lost when you leave.</Text>,
  confirm: 'Leave',
  cancel: 'Stay',
}
