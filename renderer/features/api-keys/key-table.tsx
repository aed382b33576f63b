import { Modal, Table, Text, VisuallyHidden } from '@mantine/core'
import { useState } from 'react'
import type { ApiKey } from '../../../shared/api/api-keys.ts'
import type { CreatedApiKey } from '../../data/api-keys.ts'
import { plural } from '../../lib/format.ts'
import { closeUnlessUnsaved } from '../../ui/confirm-leave.tsx'
import table from '../../ui/data-table/table.module.css'
import { TableFrame } from '../../ui/data-table/table-frame.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { EditForm } from './edit-form.tsx'
import { keyStatusDetail, keyStatusText, rateLimitText } from './key-labels.ts'
import { KeyMenu } from './key-menu.tsx'
import { scopeSummary } from './scope-labels.ts'

interface Props {
  keys: readonly ApiKey[]
  isStale?: boolean
  /** False where the list is about one organization. */
  hasOrganizations?: boolean
  onRotated: (key: CreatedApiKey) => void
}

export function KeyTable({ keys, isStale, hasOrganizations, onRotated }: Props) {
  const [editing, setEditing] = useState<ApiKey | null>(null)
  return (
    <>
      <TableFrame label="API keys" isStale={isStale}>
        <Table tabularNums miw={{ sm: 780 }}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              {hasOrganizations && <Table.Th>Organization</Table.Th>}
              <Table.Th>May do</Table.Th>
              <Table.Th>Last used</Table.Th>
              <Table.Th>Made by</Table.Th>
              <Table.Th>State</Table.Th>
              <Table.Th w={50}>
                <VisuallyHidden>Actions</VisuallyHidden>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {keys.map((key) => (
              <Table.Tr key={key.id}>
                <Cells apiKey={key} hasOrganizations={hasOrganizations} />
                <Table.Td data-corner>
                  <KeyMenu apiKey={key} onEdit={() => setEditing(key)} onRotated={onRotated} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </TableFrame>
      <Modal
        opened={editing !== null}
        onClose={closeUnlessUnsaved(() => setEditing(null))}
        title={editing && `Edit ${editing.name}`}
        size="lg"
      >
        {editing && <EditForm apiKey={editing} onDone={() => setEditing(null)} />}
      </Modal>
    </>
  )
}

function Cells({ apiKey, hasOrganizations }: { apiKey: ApiKey; hasOrganizations: boolean | undefined }) {
  return (
    <>
      <Table.Td fw={500} className={table.words}>
        {apiKey.name}
        <Text size="xs" c="dimmed" className="mono" style={{ whiteSpace: 'nowrap' }}>
          {apiKey.keyPrefix}…
        </Text>
      </Table.Td>
      {hasOrganizations && <Table.Td data-label="Organization">{apiKey.orgName}</Table.Td>}
      <Table.Td data-label="May do" className={table.words}>
        {scopeSummary(apiKey.scopes)}
        <Text size="xs" c="dimmed">
          {rateLimitText(apiKey.rateLimit)}
        </Text>
      </Table.Td>
      <Table.Td data-label="Last used">
        <RelativeTime at={apiKey.lastUsedAt} never="Never" />
        {apiKey.usageCount > 0 && (
          <Text size="xs" c="dimmed">
            {plural(apiKey.usageCount, 'call')}
          </Text>
        )}
      </Table.Td>
      <Table.Td data-label="Made by">
        {apiKey.createdByName}
        <Text size="xs" c="dimmed" component="div">
          <RelativeTime at={apiKey.createdAt} />
        </Text>
      </Table.Td>
      <Table.Td data-label="State" className={table.words}>
        <State apiKey={apiKey} />
      </Table.Td>
    </>
  )
}

function State({ apiKey }: { apiKey: ApiKey }) {
  const { word, tone } = keyStatusText(apiKey)
  return (
    <>
      <StatusDot tone={tone}>{word}</StatusDot>
      <Text size="xs" c="dimmed">
        {keyStatusDetail(apiKey)}
      </Text>
    </>
  )
}
