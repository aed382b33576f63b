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
      title: 'Create new recovery codes?',
      consequences: 'You’ll see ten new codes once. The old ones stop working, and your other sessions end.',
      confirm: 'Create new codes',
      run: () => renew.mutateAsync(),
      failed: 'No new codes were created',
    })
  return (
    <Panel
      title="Recovery codes"
      actions={
        <Button size="xs" variant="default" loading={renew.isPending} onClick={confirm}>
          Create new codes
        </Button>
      }
    >
      <Text size="sm" c="dimmed">
        Use one to sign in if you lose your second factor. Each works once.
      </Text>
      {left <= lowCodeCount ? (
        <Alert color="yellow" variant="light" p="sm" mt="sm">
          {left === 0 ? 'None are left.' : `Only ${plural(left, 'code')} left.`} Create new ones before you need them.
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
