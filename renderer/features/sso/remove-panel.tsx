import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { SsoProvider } from '../../../shared/api/sso-providers.ts'
import { readinessQuery, removeProvider } from '../../data/sso-providers.ts'
import { plural } from '../../lib/format.ts'
import { notifyDone, notifyFailed } from '../../lib/notify.ts'
import { queryClient } from '../../lib/query-client.ts'
import { useMe } from '../../lib/session.ts'
import { askToConfirm } from '../../ui/confirm.tsx'
import { Panel } from '../../ui/panel.tsx'
import { providersPage, useSsoOwner } from './sso-owner.ts'

export function RemovePanel({ provider }: { provider: SsoProvider }) {
  const { id, name } = provider
  const { scope } = useMe()
  const owner = useSsoOwner()
  const navigate = useNavigate()
  const { mutationFn, onSuccess } = removeProvider(id)
  const remove = useMutation({
    mutationFn,
    onSuccess: async () => {
      notifyDone(`${name} was removed`)
      // Its own page would only report that it is gone.
      await navigate({ ...providersPage(owner, scope), ignoreBlocker: true })
      await onSuccess()
    },
  })
  const check = useMutation({
    mutationFn: () => queryClient.fetchQuery(readinessQuery(id)),
    onSuccess: ({ connections }) => void confirmRemoval(provider, connections, remove.mutateAsync),
    onError: notifyFailed(`${name} wasn’t removed`),
  })
  return (
    <Panel title="Remove provider">
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          Permanently deletes its settings, its secret and people’s connections to it. To pause it, turn it off.
        </Text>
        <Group>
          <Button size="xs" variant="default" color="red" loading={check.isPending} onClick={() => check.mutate()}>
            Remove…
          </Button>
        </Group>
      </Stack>
    </Panel>
  )
}

const confirmRemoval = ({ name, status, enforceSSO }: SsoProvider, connections: number, run: () => Promise<unknown>) =>
  askToConfirm({
    title: `Remove ${name}?`,
    consequences: [
      connections === 0
        ? 'Nobody has connected their account to it.'
        : `${plural(connections, 'account')} ${connections === 1 ? 'loses its' : 'lose their'} connection to it. No accounts are deleted, and current sessions continue.`,
      connections > 0 && 'They’ll need a password; those without one can set one with “Forgot your password?”.',
      enforceSSO && status === 'active' && 'Passwords work again immediately.',
    ],
    confirm: 'Remove',
    run,
    failed: `${name} wasn’t removed`,
  })
