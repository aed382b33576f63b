import { Modal } from '@mantine/core'
import { useState } from 'react'
import type { ApiKey } from '../../../shared/api/api-keys.ts'
import type { CreatedApiKey } from '../../data/api-keys.ts'
import { plural } from '../../lib/format.ts'
import { closeUnlessUnsaved } from '../../ui/confirm-leave.tsx'
import { type Column, menuColumn } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { SecondLine } from '../../ui/data-table/second-line.tsx'
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
  const menu = menuColumn((key: ApiKey) => (
    <KeyMenu apiKey={key} onEdit={() => setEditing(key)} onRotated={onRotated} />
  ))
  return (
    <>
      <DataTable
        label="API keys"
        rows={keys}
        rowKey={({ id }) => id}
        columns={[name, ...(hasOrganizations ? [organization] : []), ...details, menu]}
        minWidth={780}
        isStale={isStale}
      />
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

const name: Column<ApiKey> = {
  id: 'name',
  title: 'Name',
  look: 'strong',
  wrap: 'anywhere',
  cell: (key) => (
    <>
      {key.name}
      <SecondLine isMono>
        <span style={{ whiteSpace: 'nowrap' }}>{key.keyPrefix}…</span>
      </SecondLine>
    </>
  ),
}

const organization: Column<ApiKey> = { id: 'organization', title: 'Organization', cell: ({ orgName }) => orgName }

const details: Column<ApiKey>[] = [
  {
    id: 'scopes',
    title: 'Access',
    wrap: 'anywhere',
    cell: ({ scopes, rateLimit }) => (
      <>
        {scopeSummary(scopes)}
        <SecondLine>{rateLimitText(rateLimit)}</SecondLine>
      </>
    ),
  },
  {
    id: 'last-used',
    title: 'Last used',
    cell: ({ lastUsedAt, usageCount }) => (
      <>
        <RelativeTime at={lastUsedAt} never="Never" />
        {usageCount > 0 && <SecondLine>{plural(usageCount, 'call')}</SecondLine>}
      </>
    ),
  },
  {
    id: 'creator',
    title: 'Created by',
    cell: ({ createdByName, createdAt }) => (
      <>
        {createdByName}
        <SecondLine>
          <RelativeTime at={createdAt} />
        </SecondLine>
      </>
    ),
  },
  { id: 'state', title: 'Status', wrap: 'anywhere', cell: (key) => <State apiKey={key} /> },
]

function State({ apiKey }: { apiKey: ApiKey }) {
  const { word, tone } = keyStatusText(apiKey)
  return (
    <>
      <StatusDot tone={tone}>{word}</StatusDot>
      <SecondLine>{keyStatusDetail(apiKey)}</SecondLine>
    </>
  )
}
