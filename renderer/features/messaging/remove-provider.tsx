import { Button } from '@mantine/core'
import { type UseMutationOptions, useMutation } from '@tanstack/react-query'
import { notifyDone } from '../../lib/notify.ts'
import { askToConfirm } from '../../ui/confirm.tsx'

interface Props {
  /** Such as "mail server". */
  what: string
  /** Explains the consequences. */
  children: string
  remove: UseMutationOptions<unknown, Error, void>
}

/** Deletes the settings after confirmation. */
export function RemoveProvider({ what, children, remove: removal }: Props) {
  const remove = useMutation(removal)
  const confirm = async () => {
    const isRemoved = await askToConfirm({
      title: `Remove the ${what}?`,
      consequences: children,
      confirm: `Remove the ${what}`,
      run: () => remove.mutateAsync(),
      failed: `The ${what} wasn’t removed`,
    })
    if (isRemoved) notifyDone(`${what} removed`)
  }
  return (
    <Button variant="subtle" color="red" loading={remove.isPending} onClick={confirm}>
      Remove…
    </Button>
  )
}
