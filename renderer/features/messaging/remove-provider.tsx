import { Button, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { type UseMutationOptions, useMutation } from '@tanstack/react-query'
import { notifyDone, notifyFailed } from '../../lib/notify.ts'

interface Props {
  /** Such as "mail server". */
  what: string
  /** Explains the consequences. */
  children: string
  remove: UseMutationOptions<unknown, Error, void>
}

/** Deletes the settings after confirmation. */
export function RemoveProvider({ what, children, remove: removal }: Props) {
  const remove = useMutation({ ...removal, onError: notifyFailed(`The ${what} was not removed`) })
  const confirm = () =>
    modals.openConfirmModal({
      title: `Remove the ${what}?`,
      children: <Text size="sm">{children}</Text>,
      labels: { confirm: `Remove the ${what}`, cancel: 'Keep it' },
      confirmProps: { color: 'red' },
      onConfirm: () => remove.mutate(undefined, { onSuccess: () => notifyDone(`The ${what} is removed`) }),
    })
  return (
    <Button variant="subtle" color="red" loading={remove.isPending} onClick={confirm}>
      Remove…
    </Button>
  )
}
