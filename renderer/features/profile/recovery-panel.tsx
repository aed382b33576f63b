import { Alert, Button, Modal, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { newRecoveryCodes } from '../../data/profile.ts'
import { RecoveryCodes } from '../../domain/mfa/recovery-codes.tsx'
import { plural } from '../../lib/format.ts'
import { askToConfirm } from '../../ui/confirm.tsx'
import { Panel } from '../../ui/panel.tsx'

const lowCodeCount = 3

export function RecoveryPanel({ left }: { left: number }) {
  const renew = useMutation(newRecoveryCodes)
  const confirm = () =>
    askToConfirm({
      title: 'Make new recovery codes?',
      consequences: 'You get ten new codes and see them once. The old ones stop working, and your other sessions end.',
      confirm: 'Make new codes',
      cancel: 'Keep the old ones',
      run: () => renew.mutateAsync(),
      failed: 'No new codes were made',
    })
  return (
    <Panel
      title="Recovery codes"
      actions={
        <Button size="xs" variant="default" loading={renew.isPending} onClick={confirm}>
          Make new codes
        </Button>
      }
    >
      <Text size="sm" c="dimmed">
        Each lets you in once when your second factor is out of reach.
      </Text>
      {left <= lowCodeCount ? (
        <Alert color="yellow" variant="light" p="sm" mt="sm">
          {left === 0 ? 'None are left.' : `Only ${plural(left, 'code')} left.`} Make new ones before you need them.
        </Alert>
      ) : (
        <Text size="sm" mt="xs">
          {plural(left, 'code')} left.
        </Text>
      )}
      <Modal
        opened={Boolean(renew.data)}
        onClose={renew.reset}
        title="Recovery codes"
        withCloseButton={false}
        closeOnEscape={false}
        closeOnClickOutside={false}
      >
        {renew.data && <RecoveryCodes codes={renew.data} onDone={renew.reset} />}
      </Modal>
    </Panel>
  )
}
