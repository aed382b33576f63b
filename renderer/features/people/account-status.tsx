import { Button, List } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { changeUserStatus, type Member } from '../../data/people.ts'
import { notifyDone, notifyFailed } from '../../lib/notify.ts'
import { askToConfirm } from '../../ui/confirm.tsx'

/** For platform administrators: disables an account in all tenants, and enables it again. */
export function AccountStatus({ member: { person } }: { member: Member }) {
  const { id, name, status, lastLoginAt } = person
  const change = useMutation(changeUserStatus)
  const set = (next: typeof status, done: string) =>
    change.mutate(
      { id, status: next },
      { onSuccess: () => notifyDone(done), onError: notifyFailed('The account is as it was') },
    )
  const ask = async () => {
    const isConfirmed = await askToConfirm({
      title: `Disable the account of ${name}?`,
      message: (
        <List size="sm" spacing={4}>
          <List.Item>They can not sign in anywhere on this Homeport, and all their sessions end.</List.Item>
          <List.Item>
            API keys they made do not work meanwhile, and a link they were invited by does not any more.
          </List.Item>
          <List.Item>What they belong to stays as it is: you can let them in again.</List.Item>
        </List>
      ),
      confirm: 'Disable the account',
      cancel: 'Leave it',
    })
    if (isConfirmed) set('disabled', `The account of ${name} is disabled`)
  }
  // A user who never signed in has no password and needs another link.
  const allow = () => set(lastLoginAt ? 'active' : 'invited', `The account of ${name} is not disabled any more`)
  return (
    <Button size="xs" variant="default" loading={change.isPending} onClick={status === 'disabled' ? allow : ask}>
      {status === 'disabled' ? 'Let them in again' : 'Disable the account…'}
    </Button>
  )
}
