import { Button, Group, Stack, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { listSites } from '../../../shared/api/sites.ts'
import type { ReplyOf } from '../../../shared/endpoint.ts'
import { removeSite } from '../../data/sites.ts'
import { ApiError } from '../../lib/api-error.ts'
import { plural } from '../../lib/format.ts'
import { notifyDone } from '../../lib/notify.ts'
import { UserFacingError } from '../../lib/user-facing-error.ts'
import { askToConfirm } from '../../ui/confirm.tsx'

export type SiteRow = ReplyOf<typeof listSites>['data'][number]

/** Confirms and deletes; if devices are in the way, says how many and links to them. */
export function useDeleteSite({ id, name }: SiteRow) {
  const navigate = useNavigate({ from: '/organizations/$orgId' })
  const remove = useMutation(removeSite)
  const showDevices = () => {
    modals.closeAll()
    void navigate({ search: { tab: 'devices', site: id } })
  }
  const explain = (error: Error) => {
    if (!(error instanceof ApiError) || error.code !== 'SITE_NOT_EMPTY') throw error
    const { deviceCount } = error.body
    // The count leaves out devices that the user cannot see.
    if (deviceCount === 0) throw new UserFacingError(`${name} still has devices that you can’t see.`)
    modals.open({
      title: `${name} still has ${plural(Number(deviceCount), 'device')}`,
      children: (
        <Stack>
          <Text size="sm">
            Move them to another site (“More actions” on each device’s page) or delete them permanently. Decommissioned
            devices count, too.
          </Text>
          <Group justify="flex-end">
            <Button data-autofocus onClick={showDevices}>
              Show devices
            </Button>
          </Group>
        </Stack>
      ),
    })
  }
  const ask = () =>
    askToConfirm({
      title: `Delete ${name}?`,
      consequences: 'Its contacts are deleted, and its enrollment keys expire. Device groups stay, without a site.',
      confirm: 'Delete site',
      run: () => remove.mutateAsync(id).then(() => notifyDone(`${name} was deleted`), explain),
      failed: 'The site wasn’t deleted',
    })
  return { ask, isPending: remove.isPending }
}
