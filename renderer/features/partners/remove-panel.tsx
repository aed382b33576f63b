import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Partner } from '../../../shared/api/partners.ts'
import { deletePartner } from '../../data/partners.ts'
import { notifyDone } from '../../lib/notify.ts'
import { ConfirmForm } from '../../ui/confirm-form.tsx'
import { Panel } from '../../ui/panel.tsx'

export function RemovePanel({ partner }: { partner: Partner }) {
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <Panel title="Remove the company">
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          It disappears from this appliance for good. Its agents are shut out, but stay on the devices: close the
          company first to have them removed.
        </Text>
        <Group>
          <Button variant="default" color="red" onClick={() => setOpen(true)}>
            Remove the company…
          </Button>
        </Group>
      </Stack>
      <Modal opened={isOpen} onClose={close} title={`Remove ${partner.name}?`}>
        <RemoveForm partner={partner} onCancel={close} />
      </Modal>
    </Panel>
  )
}

function RemoveForm({ partner: { id, name }, onCancel }: { partner: Partner; onCancel: () => void }) {
  const navigate = useNavigate()
  const { mutationFn, onSuccess } = deletePartner(id)
  const remove = useMutation({
    mutationFn,
    onSuccess: async () => {
      notifyDone(`${name} is removed`)
      await navigate({ to: '/companies', ignoreBlocker: true })
      await onSuccess()
    },
  })
  return (
    <ConfirmForm
      consequences="Everybody of it is signed out, its enrollment keys end, and the agents on its devices are shut out. Nobody can see it or what belongs to it any more, and its short name stays taken. This can not be undone."
      confirm="Remove it"
      cancel="Keep it"
      typedName={name}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onCancel={onCancel}
    />
  )
}
