import { Badge, Button, Modal, SimpleGrid, Stack } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { Organization } from '../../../shared/api/organizations.ts'
import { ApiError } from '../../lib/api-error.ts'
import { count, dateOnly } from '../../lib/format.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { Fact, Facts } from '../../ui/facts.tsx'
import { ButtonLink, TextLink } from '../../ui/links.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Failed, Lines } from '../../ui/states.tsx'
import { OrganizationKeys } from '../enrollment-keys/organization-keys.tsx'
import { NotFound } from '../shell/fallbacks.tsx'
import { organizationQuery, sitesQuery } from './data.ts'
import { OrganizationForm } from './organization-form.tsx'
import { SiteForm } from './site-form.tsx'
import { SitesPanel } from './sites-panel.tsx'

export function OrganizationPage() {
  const { orgId } = useParams({ from: '/app/organizations/$orgId' })
  const organization = useQuery(organizationQuery(orgId))
  const { error, data, refetch } = organization
  if (error instanceof ApiError && (error.status === 404 || error.status === 403)) return <NotFound />
  if (error && !data) return <Failed error={error} onRetry={refetch} />
  if (!data) return <Lines />
  return <Loaded organization={data} />
}

function Loaded({ organization }: { organization: Organization }) {
  const me = useMe()
  const { edit, site: siteId } = useSearch({ from: '/app/organizations/$orgId' })
  const navigate = useNavigate({ from: '/organizations/$orgId' })
  const sites = useQuery(sitesQuery(organization.id))
  const editedSite = sites.data?.find(({ id }) => id === siteId)
  const openDialog = (dialog: { edit?: 'organization' | 'new-site'; site?: string }) =>
    navigate({ search: (old) => ({ ...old, edit: undefined, site: undefined, ...dialog }) })
  const close = () => openDialog({})
  const deviceCount = sites.data?.reduce((sum, site) => sum + site.deviceCount, 0)
  return (
    <>
      <PageHeader
        title={organization.name}
        before={
          <TextLink to="/organizations" size="sm">
            Organizations
          </TextLink>
        }
        beside={organization.status !== 'active' && <Badge variant="default">{organization.status}</Badge>}
        actions={
          <>
            <ButtonLink to="/devices" search={{ org: organization.id }} variant="default">
              {deviceCount === undefined ? 'Devices' : `Devices (${count(deviceCount)})`}
            </ButtonLink>
            {can(me, 'organizations:write') && (
              <Button
                variant="default"
                leftSection={<IconPencil size={16} />}
                onClick={() => openDialog({ edit: 'organization' })}
              >
                Edit
              </Button>
            )}
          </>
        }
      />
      <Stack>
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          <Panel title="Overview">
            <Facts>
              <Fact name="Short name">{organization.slug}</Fact>
              <Fact name="Kind">{organization.type === 'internal' ? 'Internal' : 'Customer'}</Fact>
              <Fact name="Device limit">
                {organization.maxDevices === null ? 'None' : count(organization.maxDevices)}
              </Fact>
              <Fact name="Contract">{contractText(organization)}</Fact>
              <Fact name="Created">
                <RelativeTime at={organization.createdAt} />
              </Fact>
            </Facts>
          </Panel>
          <SitesPanel
            orgId={organization.id}
            onCreate={() => openDialog({ edit: 'new-site' })}
            onEdit={(id) => openDialog({ site: id })}
          />
        </SimpleGrid>
        <OrganizationKeys orgId={organization.id} />
      </Stack>
      <Modal opened={edit === 'organization'} onClose={close} title="Edit the organization">
        <OrganizationForm organization={organization} onDone={close} />
      </Modal>
      <Modal opened={edit === 'new-site'} onClose={close} title="New site">
        <SiteForm orgId={organization.id} onDone={close} />
      </Modal>
      <Modal opened={Boolean(editedSite)} onClose={close} title="Edit the site">
        {editedSite && <SiteForm orgId={organization.id} site={editedSite} onDone={close} />}
      </Modal>
    </>
  )
}

function contractText({ contractStart, contractEnd }: Organization): string | null {
  if (!contractStart && !contractEnd) return null
  return `${contractStart ? dateOnly(contractStart) : '…'} – ${contractEnd ? dateOnly(contractEnd) : '…'}`
}
