import { Button, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { useMutation } from '@tanstack/react-query'
import { notifyDone, notifyFailed } from '../../lib/notify.ts'
import { saveSmsSettings } from './data.ts'

export function RemoveProvider() {
  const remove = useMutation(saveSmsSettings)
  const confirm = () =>
    modals.openConfirmModal({
      title: 'Remove the provider?',
      children: (
        <Text size="sm">
          No text message leaves the appliance then. Whoever has nothing but text messages needs a recovery code to sign
          in.
        </Text>
      ),
      labels: { confirm: 'Remove the provider', cancel: 'Keep it' },
      confirmProps: { color: 'red' },
      onConfirm: () =>
        remove.mutate(
          { provider: 'none' },
          {
            onSuccess: () => notifyDone('The provider is removed'),
            onError: notifyFailed('The provider was not removed'),
          },
        ),
    })
  return (
    <Button variant="subtle" color="red" loading={remove.isPending} onClick={confirm}>
      Remove…
    </Button>
  )
}
