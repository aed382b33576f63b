import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { changeUserStatus, type Member } from '../../data/people.ts'
import { notifyDone, notifyFailed } from '../../lib/notify.ts'
import { askToConfirm } from '../../ui/confirm.tsx'

/** For platform administrators: disables an account in all tenants, and enables it again. */
export function AccountStatus({ member: { person } }: { member: Member }) {
  const { id, name, status, lastLoginAt } = person
  const change = useMutation(changeUserStatus)
  const disable = async () => {
    const isDisabled = await askToConfirm({
      title: `Disable the account of ${name}?`,
      consequences: [
        'They can’t sign in anywhere on this appliance, and all their sessions end.',
        'API keys they created stop working while the account is disabled, and pending invitation links no longer work.',
        'Their memberships stay: you can enable the account again.',
      ],
      confirm: 'Disable account',
      run: () => change.mutateAsync({ id, status: 'disabled' }),
      failed: 'The account wasn’t changed',
    })
    if (isDisabled) notifyDone(`${name}’s account was disabled`)
  }
  const enable = () =>
    change.mutate(
      // A user who never signed in has no password and needs another link.
      { id, status: lastLoginAt ? 'active' : 'invited' },
      {
        onSuccess: () => notifyDone(`${name}’s account was enabled`),
        onError: notifyFailed('The account wasn’t changed'),
      },
    )
  return (
    <Button size="xs" variant="default" loading={change.isPending} onClick={status === 'disabled' ? enable : disable}>
      {status === 'disabled' ? 'Enable account' : 'Disable account…'}
    </Button>
  )
}
