import { ActionIcon, Button, Group, Stack, Text, Tooltip } from '@mantine/core'
import { IconPencil, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { plural } from '../../lib/format.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { TextLink } from '../../ui/links.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Failed, Lines } from '../../ui/states.tsx'
import { sitesQuery } from './data.ts'

interface Props {
  orgId: string
  onCreate: () => void
  onEdit: (siteId: string) => void
}

export function SitesPanel({ orgId, onCreate, onEdit }: Props) {
  const mayWrite = can(useMe(), 'sites:write')
  const { data: sites, error, refetch } = useQuery(sitesQuery(orgId))
  return (
    <Panel
      title="Sites"
      actions={
        mayWrite && (
          <Button size="xs" variant="default" leftSection={<IconPlus size={14} />} onClick={onCreate}>
            New site
          </Button>
        )
      }
    >
      {error && !sites ? (
        <Failed error={error} onRetry={refetch} />
      ) : !sites ? (
        <Lines count={3} />
      ) : sites.length === 0 ? (
        <Text size="sm" c="dimmed">
          No site yet. A device stands at a site, so create one before you add devices.
        </Text>
      ) : (
        <Stack gap={2} component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
          {sites.map((site) => (
            <Group key={site.id} component="li" justify="space-between" wrap="nowrap" py={4}>
              <div>
                <Text size="sm" fw={500}>
                  {site.name}
                </Text>
                <Text size="xs" c="dimmed">
                  {site.timezone.replaceAll('_', ' ')}
                </Text>
              </div>
              <Group gap="xs" wrap="nowrap">
                <TextLink to="/devices" search={{ org: orgId, site: site.id }} size="sm">
                  {plural(site.deviceCount, 'device')}
                </TextLink>
                {mayWrite && (
                  <Tooltip label={`Edit ${site.name}`}>
                    <ActionIcon aria-label={`Edit ${site.name}`} onClick={() => onEdit(site.id)}>
                      <IconPencil size={16} />
                    </ActionIcon>
                  </Tooltip>
                )}
              </Group>
            </Group>
          ))}
        </Stack>
      )}
    </Panel>
  )
}
