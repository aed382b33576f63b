import { Button, List, Stack, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { useMutation } from '@tanstack/react-query'
import { type Member, resetFactors } from '../../data/people.ts'
import { notifyDone, notifyFailed } from '../../lib/notify.ts'

/** For users who lost their phone and their recovery codes. */
export function ResetFactors({ member }: { member: Member }) {
  const { person } = member
  const reset = useMutation(resetFactors)
  const confirm = () =>
    modals.openConfirmModal({
      title: `Reset the second factor of ${person.name}?`,
      children: (
        <Stack gap="xs">
          <Text size="sm">Do this only if you are sure that {person.name} asked for it.</Text>
          <List size="sm" spacing={4}>
            <List.Item>Their authenticator app, phone, passkeys and recovery codes are removed.</List.Item>
            <List.Item>All their sessions end at once.</List.Item>
            <List.Item>
              They sign in with their password alone the next time, and have to set up a new factor before they can go
              on, even if your rules do not ask for one.
            </List.Item>
          </List>
        </Stack>
      ),
      labels: { confirm: 'Reset the second factor', cancel: 'Leave it' },
      confirmProps: { color: 'red' },
      onConfirm: () =>
        reset.mutate(member, {
          onSuccess: () => notifyDone(`The second factor of ${person.name} is reset`),
          onError: notifyFailed('The second factor was not reset'),
        }),
    })
  return (
    <Button size="xs" variant="default" loading={reset.isPending} onClick={confirm}>
      Reset second factor…
    </Button>
  )
}
