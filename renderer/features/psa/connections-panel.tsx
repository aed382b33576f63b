import { Button, Modal, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { PsaConnection } from '../../../shared/api/psa.ts'
import { partnerWideConnectionsQuery } from '../../data/psa.ts'
import { Listed } from '../../ui/loaded.tsx'
import { Panel } from '../../ui/panel.tsx'
import { ConnectionForm } from './connection-form.tsx'
import { ConnectionRow } from './connection-row.tsx'

interface Props {
  isEditable: boolean
  /** The connection that the partner uses for its tickets. */
  usedId: string | null
}

/** Ticket systems connected for the whole partner. */
export function PsaConnectionsPanel({ isEditable, usedId }: Props) {
  const connections = useQuery(partnerWideConnectionsQuery)
  const [open, setOpen] = useState<PsaConnection | 'new' | null>(null)
  const close = () => setOpen(null)
  return (
    <Panel
      title="Ticket systems"
      actions={
        isEditable && (
          <Button variant="default" size="xs" onClick={() => setOpen('new')}>
            Connect
          </Button>
        )
      }
    >
      <Listed of={connections} lines={2} empty="None connected.">
        {(all) => (
          <Stack gap="md" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
            {all.map((connection) => (
              <ConnectionRow
                key={connection.id}
                connection={connection}
                isEditable={isEditable}
                isUsed={connection.id === usedId}
                onEdit={() => setOpen(connection)}
              />
            ))}
          </Stack>
        )}
      </Listed>
      <Modal
        opened={open !== null}
        onClose={close}
        title={open === 'new' || open === null ? 'Connect a ticket system' : open.name}
      >
        {open !== null && <ConnectionForm {...(open !== 'new' && { connection: open })} onDone={close} />}
      </Modal>
    </Panel>
  )
}
