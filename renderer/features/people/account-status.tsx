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
        'They can not sign in anywhere on this Homeport, and all their sessions end.',
        'API keys they made do not work meanwhile, and a link they were invited by does not any more.',
        'What they belong to stays as it is: you can let them in again.',
      ],
      confirm: 'Disable the account',
      cancel: 'Leave it',
      run: () => change.mutateAsync({ id, status: 'disabled' }),
      failed: 'The account is as it was',
    })
    if (isDisabled) notifyDone(`The account of ${name} is disabled`)
  }
  const enable = () =>
    change.mutate(
      // A user who never signed in has no password and needs another link.
      { id, status: lastLoginAt ? 'active' : 'invited' },
      {
        onSuccess: () => notifyDone(`The account of ${name} is not disabled any more`),
        onError: notifyFailed('The account is as it was'),
      },
    )
  return (
    <Button size="xs" variant="default" loading={change.isPending} onClick={status === 'disabled' ? enable : disable}>
      {status === 'disabled' ? 'Let them in again' : 'Disable the account…'}
    </Button>
  )
}
