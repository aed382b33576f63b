import { IconBan, IconHistory, IconPencil, IconRefresh } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ApiKey, missingFor } from '../../../shared/api/api-keys.ts'
import { type CreatedApiKey, revokeApiKeyMutation, rotateApiKeyMutation } from '../../data/api-keys.ts'
import { notifyDone } from '../../lib/notify.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { askToConfirm } from '../../ui/confirm.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { RowMenu } from '../../ui/row-menu.tsx'
import { holderOf, scopeSummaryInSentence } from './scope-labels.ts'

interface Props {
  apiKey: ApiKey
  onEdit: () => void
  onRotated: (key: CreatedApiKey) => void
}

/**
 * Actions on a key. A key that nobody answers for, or that can do more than the user, can only be revoked; inactive
 * keys only have a history.
 */
export function KeyMenu({ apiKey, onEdit, onRotated }: Props) {
  const { id, name, scopes, problem, status } = apiKey
  const me = useMe()
  const navigate = useNavigate()
  const rotate = useMutation(rotateApiKeyMutation(onRotated))
  const revoke = useMutation(revokeApiKeyMutation)
  const confirmRotate = () =>
    askToConfirm({
      title: `Rotate ${name}?`,
      consequences: rotateConsequences(apiKey),
      confirm: 'Rotate key',
      run: () => rotate.mutateAsync(id),
      failed: 'The key wasn’t rotated',
    })
  const confirmRevoke = async () => {
    const isRevoked = await askToConfirm({
      title: `Revoke ${name}?`,
      consequences: revokeConsequences(apiKey),
      confirm: 'Revoke key',
      run: () => revoke.mutateAsync(id),
      failed: 'The key wasn’t revoked',
    })
    if (isRevoked) notifyDone(`${name} was revoked`)
  }
  const isOpen = status === 'active' && can(me, 'organizations:write')
  const onlyEnds = problem !== null || missingFor(scopes, holderOf(me)) !== undefined
  const actions = [
    { isThere: isOpen && !onlyEnds, label: 'Edit…', Icon: IconPencil, onClick: onEdit },
    { isThere: isOpen && !onlyEnds, label: 'Rotate…', Icon: IconRefresh, onClick: confirmRotate },
    {
      isThere: can(me, 'audit:read'),
      label: 'History',
      Icon: IconHistory,
      onClick: () => void navigate({ to: '/audit', search: { resource: id, target: name } }),
    },
    { isThere: isOpen, label: 'Revoke…', Icon: IconBan, isDestructive: true, onClick: confirmRevoke },
  ].filter(({ isThere }) => isThere)
  if (actions.length === 0) return null
  return <RowMenu name={name} isBusy={rotate.isPending || revoke.isPending} actions={actions} />
}

const rotateConsequences = (apiKey: ApiKey) => [
  'You get a new key. The current one stops working immediately; programs are refused until you give them the new one. Permissions and expiry stay the same.',
  <LastUse key="last-use" apiKey={apiKey} />,
]

const revokeConsequences = (apiKey: ApiKey) => [
  `${apiKey.problem ? 'Programs that use this key are already refused.' : 'Programs that use this key are refused from now on.'} It allowed them in ${apiKey.orgName}: ${scopeSummaryInSentence(apiKey.scopes)}.`,
  <LastUse key="last-use" apiKey={apiKey} />,
  'This can’t be undone. The key stays in the list as revoked.',
]

function LastUse({ apiKey: { lastUsedAt } }: { apiKey: ApiKey }) {
  if (!lastUsedAt) return 'The key has never been used.'
  return (
    <>
      Last used <RelativeTime at={lastUsedAt} />.
    </>
  )
}
