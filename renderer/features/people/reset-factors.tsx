import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type Member, resetFactors } from '../../data/people.ts'
import { notifyDone } from '../../lib/notify.ts'
import { askToConfirm } from '../../ui/confirm.tsx'

/** For users who lost their phone and their recovery codes. */
export function ResetFactors({ member }: { member: Member }) {
  const { person } = member
  const reset = useMutation(resetFactors)
  const confirm = async () => {
    const isReset = await askToConfirm({
      title: `Reset the second factor of ${person.name}?`,
      consequences: [
        `Do this only if you are sure that ${person.name} asked for it.`,
        'Their authenticator app, phone, passkeys and recovery codes are removed.',
        'All their sessions end at once.',
        'They sign in with their password alone the next time, and have to set up a new factor before they can go on, even if your rules do not ask for one.',
      ],
      confirm: 'Reset the second factor',
      cancel: 'Leave it',
      run: () => reset.mutateAsync(member),
      failed: 'The second factor was not reset',
    })
    if (isReset) notifyDone(`The second factor of ${person.name} is reset`)
  }
  return (
    <Button size="xs" variant="default" loading={reset.isPending} onClick={confirm}>
      Reset second factor…
    </Button>
  )
}
