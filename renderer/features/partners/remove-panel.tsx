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
    <Panel title="Remove company">
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          Removes the company from this appliance permanently. Its agents are disconnected but stay installed: close the
          company first to have them uninstalled.
        </Text>
        <Group>
          <Button variant="default" color="red" onClick={() => setOpen(true)}>
            Remove company…
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
      notifyDone(`${name} was removed`)
      await navigate({ to: '/companies', ignoreBlocker: true })
      await onSuccess()
    },
  })
  return (
    <ConfirmForm
      consequences="All its people are signed out, its enrollment keys expire, and its agents are disconnected. Its data becomes inaccessible, and its short name stays reserved. This can’t be undone."
      confirm="Remove"
      typedName={name}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onCancel={onCancel}
    />
  )
}
