import { Stack, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { IconBan, IconHistory, IconPencil, IconRefresh } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ApiKey, missingFor } from '../../../shared/api/api-keys.ts'
import { type CreatedApiKey, revokeApiKeyMutation, rotateApiKeyMutation } from '../../data/api-keys.ts'
import { notifyDone, notifyFailed } from '../../lib/notify.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
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
    modals.openConfirmModal({
      title: `Rotate ${name}?`,
      children: <RotateWords apiKey={apiKey} />,
      labels: { confirm: 'Rotate the key', cancel: 'Leave it' },
      onConfirm: () => rotate.mutate(id, { onError: notifyFailed('The key was not rotated') }),
    })
  const confirmRevoke = () =>
    modals.openConfirmModal({
      title: `Revoke ${name}?`,
      children: <RevokeWords apiKey={apiKey} />,
      labels: { confirm: 'Revoke the key', cancel: 'Keep it' },
      confirmProps: { color: 'red' },
      onConfirm: () =>
        revoke.mutate(id, {
          onSuccess: () => notifyDone(`${name} is revoked`),
          onError: notifyFailed('The key was not revoked'),
        }),
    })
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

function RotateWords({ apiKey }: { apiKey: ApiKey }) {
  return (
    <Stack gap="xs">
      <Text size="sm">
        You get a new key in its place. The one in use now dies at once: programs that hold it are refused until they
        are given the new one. What it may do, and until when, stays as it is.
      </Text>
      <LastUse apiKey={apiKey} />
    </Stack>
  )
}

function RevokeWords({ apiKey }: { apiKey: ApiKey }) {
  return (
    <Stack gap="xs">
      <Text size="sm">
        {apiKey.problem
          ? 'Programs that hold it are refused already, and will be whatever happens.'
          : 'Programs that hold it are refused from now on.'}{' '}
        This is what it let them do in {apiKey.orgName}: {scopeSummaryInSentence(apiKey.scopes)}.
      </Text>
      <LastUse apiKey={apiKey} />
      <Text size="sm">This can not be undone. The record of the key stays.</Text>
    </Stack>
  )
}

function LastUse({ apiKey: { lastUsedAt } }: { apiKey: ApiKey }) {
  return (
    <Text size="sm" component="div">
      {lastUsedAt ? 'It was last used ' : 'It has never been used.'}
      {lastUsedAt && <RelativeTime at={lastUsedAt} />}
      {lastUsedAt && '.'}
    </Text>
  )
}
