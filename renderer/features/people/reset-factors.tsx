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
        `Do this only if you’re sure that ${person.name} asked for it.`,
        'Their authenticator app, phone, passkeys and recovery codes are removed.',
        'All their sessions end immediately.',
        'They’ll sign in with only their password next time and must set up a new factor before continuing, even if your rules don’t require one.',
      ],
      confirm: 'Reset second factor',
      run: () => reset.mutateAsync(member),
      failed: 'The second factor wasn’t reset',
    })
    if (isReset) notifyDone(`${person.name}’s second factor was reset`)
  }
  return (
    <Button size="xs" variant="default" loading={reset.isPending} onClick={confirm}>
      Reset second factor…
    </Button>
  )
}
