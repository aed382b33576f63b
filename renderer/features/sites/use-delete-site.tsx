import { Button, Group, Stack, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { listSites } from '../../../shared/api/sites.ts'
import type { ReplyOf } from '../../../shared/endpoint.ts'
import { removeSite } from '../../data/sites.ts'
import { ApiError } from '../../lib/api-error.ts'
import { plural } from '../../lib/format.ts'
import { notifyDone, notifyFailed } from '../../lib/notify.ts'

export type SiteRow = ReplyOf<typeof listSites>['data'][number]

/** Confirms and deletes; if devices are in the way, says how many and links to them. */
export function useDeleteSite({ id, name }: SiteRow) {
  const navigate = useNavigate({ from: '/organizations/$orgId' })
  const remove = useMutation(removeSite)
  const showDevices = () => {
    modals.closeAll()
    void navigate({ search: { tab: 'devices', site: id } })
  }
  const onError = (error: Error) => {
    if (!(error instanceof ApiError) || error.code !== 'SITE_NOT_EMPTY')
      return notifyFailed('The site was not deleted')(error)
    const { deviceCount } = error.body
    // The count leaves out devices that the user cannot see.
    if (deviceCount === 0) return notifyFailed(`${name} still has devices that you do not see`)(error)
    modals.open({
      title: `${name} still has ${plural(Number(deviceCount), 'device')}`,
      children: (
        <Stack>
          <Text size="sm">
            Move them to another site (on the page of each, under More actions), or delete them for good. Decommissioned
            devices count too: they keep their place until they are deleted.
          </Text>
          <Group justify="flex-end">
            <Button data-autofocus onClick={showDevices}>
              Show the devices
            </Button>
          </Group>
        </Stack>
      ),
    })
  }
  const ask = () =>
    modals.openConfirmModal({
      title: `Delete ${name}?`,
      children: (
        <Text size="sm">
          Its contacts are deleted with it, and its enrollment keys expire. Device groups stay, without a site.
        </Text>
      ),
      labels: { confirm: 'Delete the site', cancel: 'Keep it' },
      confirmProps: { color: 'red' },
      onConfirm: () => remove.mutate(id, { onSuccess: () => notifyDone(`${name} is deleted`), onError }),
    })
  return { ask, isPending: remove.isPending }
}
