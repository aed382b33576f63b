import { Button, Group, List, Stack, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { useMutation } from '@tanstack/react-query'
import type { restoreOrganization } from '../../../shared/api/lifecycle.ts'
import type { Organization } from '../../../shared/api/organizations.ts'
import type { ReplyOf } from '../../../shared/endpoint.ts'
import { restoreOrganizationMutation } from '../../data/lifecycle.ts'
import { ConfirmActionForm } from './confirm-action-form.tsx'

interface Props {
  organization: Organization
  onClose: () => void
}

export function RestoreForm({ organization: { id, name }, onClose }: Props) {
  const { mutationFn, onSuccess } = restoreOrganizationMutation(id)
  const restore = useMutation({
    mutationFn,
    onSuccess: (reply) => {
      onClose()
      showRemainingWork(name, reply)
      return onSuccess()
    },
  })
  return (
    <ConfirmActionForm
      action="restore"
      consequences="Its sites, contacts, people and devices come back as they were. Removed agents and enrollment keys don’t."
      error={restore.error}
      isPending={restore.isPending}
      onConfirm={() => restore.mutate()}
      onClose={onClose}
    />
  )
}

/** A separate dialog, because the page below shows the restored organization now. */
function showRemainingWork(name: string, { status, recreateRequired }: ReplyOf<typeof restoreOrganization>) {
  modals.open({
    modalId: 'restored',
    title: status === 'suspended' ? `${name} was restored and is suspended, as before` : `${name} was restored`,
    children: (
      <Stack>
        <Text size="sm">You still need to:</Text>
        <List size="sm" spacing={4}>
          {recreateRequired.map((line) => (
            <List.Item key={line}>{line}</List.Item>
          ))}
        </List>
        <Group justify="flex-end">
          <Button data-autofocus onClick={() => modals.close('restored')}>
            Close
          </Button>
        </Group>
      </Stack>
    ),
  })
}
