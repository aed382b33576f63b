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
      confirm: 'Rotate the key',
      cancel: 'Leave it',
      run: () => rotate.mutateAsync(id),
      failed: 'The key was not rotated',
    })
  const confirmRevoke = async () => {
    const isRevoked = await askToConfirm({
      title: `Revoke ${name}?`,
      consequences: revokeConsequences(apiKey),
      confirm: 'Revoke the key',
      cancel: 'Keep it',
      run: () => revoke.mutateAsync(id),
      failed: 'The key was not revoked',
    })
    if (isRevoked) notifyDone(`${name} is revoked`)
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
      onClick: () => void navigate({ to: '/audit', search: { resource: id } }),
    },
    { isThere: isOpen, label: 'Revoke…', Icon: IconBan, isDestructive: true, onClick: confirmRevoke },
  ].filter(({ isThere }) => isThere)
  if (actions.length === 0) return null
  return <RowMenu name={name} isBusy={rotate.isPending || revoke.isPending} actions={actions} />
}

const rotateConsequences = (apiKey: ApiKey) => [
  'You get a new key in its place. The one in use now dies at once: programs that hold it are refused until they are given the new one. What it may do, and until when, stays as it is.',
  <LastUse key="last-use" apiKey={apiKey} />,
]

const revokeConsequences = (apiKey: ApiKey) => [
  `${
    apiKey.problem
      ? 'Programs that hold it are refused already, and will be whatever happens.'
      : 'Programs that hold it are refused from now on.'
  } This is what it let them do in ${apiKey.orgName}: ${scopeSummaryInSentence(apiKey.scopes)}.`,
  <LastUse key="last-use" apiKey={apiKey} />,
  'This can not be undone. The record of the key stays.',
]

function LastUse({ apiKey: { lastUsedAt } }: { apiKey: ApiKey }) {
  if (!lastUsedAt) return 'It has never been used.'
  return (
    <>
      It was last used <RelativeTime at={lastUsedAt} />.
    </>
  )
}
