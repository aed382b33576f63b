import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { Organization } from '../../../shared/api/organizations.ts'
import { organizationQuery } from '../../data/organizations.ts'
import { HistoryButton } from '../../domain/audit-log/history-link.tsx'
import { isFrozen } from '../../domain/organizations/frozen.ts'
import { OrganizationStatus } from '../../domain/organizations/organization-status.tsx'
import type { OrganizationTab } from '../../domain/organizations/organization-tabs.ts'
import { seesPeople } from '../../domain/people/people-permissions.ts'
import { useRememberOpened } from '../../domain/search/recently-opened.ts'
import { OrganizationApiKeys } from '../../features/api-keys/organization-api-keys.tsx'
import { RetentionPanel } from '../../features/audit-log/retention-panel.tsx'
import { ContactsSummary } from '../../features/contacts/contacts-summary.tsx'
import { ContactsTab } from '../../features/contacts/contacts-tab.tsx'
import { GroupsTab } from '../../features/device-groups/groups-tab.tsx'
import { DeviceList } from '../../features/devices/device-list.tsx'
import { OrganizationKeys } from '../../features/enrollment-keys/organization-keys.tsx'
import { DangerTab } from '../../features/lifecycle/danger-tab.tsx'
import { LifecycleNotice } from '../../features/lifecycle/lifecycle-notice.tsx'
import { MergeForm } from '../../features/organization-merge/merge-form.tsx'
import { MergeNotices } from '../../features/organization-merge/merge-notices.tsx'
import { OverviewTab } from '../../features/organizations/overview-tab.tsx'
import { SettingsTab } from '../../features/organizations/settings-tab.tsx'
import { PeopleTab } from '../../features/people/people-tab.tsx'
import { SitesTab } from '../../features/sites/sites-tab.tsx'
import { SsoPanel } from '../../features/sso/sso-panel.tsx'
import { ApiError } from '../../lib/api-error.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { TextLink } from '../../ui/links.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { type PageTab, PageTabs } from '../../ui/page-tabs.tsx'
import { FormerOrganization } from './former-organization.tsx'
import { useOrganizationActions } from './organization-actions.ts'

export function OrganizationPage() {
  const { orgId } = useParams({ from: '/app/organizations/$orgId' })
  const organization = useQuery(organizationQuery(orgId))
  const { error } = organization
  if (error instanceof ApiError && (error.status === 404 || error.status === 403))
    return <FormerOrganization orgId={orgId} />
  // Remounted for another organization, so that input is never saved to the wrong one.
  return <Loaded of={organization}>{(shown) => <Details key={shown.id} organization={shown} />}</Loaded>
}

function Details({ organization }: { organization: Organization }) {
  useRememberOpened({ kind: 'organization', id: organization.id, name: organization.name })
  useOrganizationActions(organization)
  const { id, name, status } = organization
  // Its own events cannot be read while it is archived or being deleted, but those about it that the company keeps.
  const isAway = status === 'archived' || status === 'purging'
  return (
    <>
      <PageHeader
        title={organization.name}
        before={
          <TextLink to="/organizations" size="sm">
            Organizations
          </TextLink>
        }
        beside={<OrganizationStatus status={organization.status} />}
        actions={<HistoryButton about={isAway ? { resource: id, target: name } : { org: id }} />}
        about={organization.slug}
      />
      <LifecycleNotice organization={organization} mergeNotices={<MergeNotices orgId={organization.id} />} />
      {organization.status === 'archived' ? (
        // Nothing below an archived organization can be read.
        <Overview organization={organization} />
      ) : (
        <OrganizationTabs organization={organization} />
      )}
    </>
  )
}

function OrganizationTabs({ organization }: { organization: Organization }) {
  const me = useMe()
  const { tab = 'overview' } = useSearch({ from: '/app/organizations/$orgId' })
  const navigate = useNavigate({ from: '/organizations/$orgId' })
  const mayReadDevices = can(me, 'devices:read')
  const tabs: (PageTab<OrganizationTab | 'overview'> | false)[] = [
    { value: 'overview', label: 'Overview', content: <Overview organization={organization} /> },
    can(me, 'sites:read') && { value: 'sites', label: 'Sites', content: <SitesTab organization={organization} /> },
    mayReadDevices && { value: 'devices', label: 'Devices', content: <DevicesTab orgId={organization.id} /> },
    mayReadDevices && { value: 'groups', label: 'Groups', content: <GroupsTab organization={organization} /> },
    { value: 'contacts', label: 'Contacts', content: <ContactsTab organization={organization} /> },
    seesPeople(me) && { value: 'people', label: 'People', content: <PeopleTab organization={organization} /> },
    {
      value: 'sign-on',
      label: 'Single sign-on',
      content: <SsoPanel owner={{ orgId: organization.id }} isFrozen={isFrozen(organization)} />,
    },
    {
      value: 'settings',
      label: 'Settings',
      content: (
        <SettingsTab organization={organization} auditRetention={<RetentionPanel organization={organization} />} />
      ),
    },
    can(me, 'organizations:write') && {
      value: 'danger',
      label: 'Danger zone',
      content: <DangerTab organization={organization} mergeForm={(props) => <MergeForm {...props} />} />,
    },
  ]
  return (
    <PageTabs
      tabs={tabs.filter((one) => one !== false)}
      open={tab}
      onOpen={(next) => navigate({ search: { tab: next === 'overview' ? undefined : next } })}
    />
  )
}

function Overview({ organization }: { organization: Organization }) {
  const { id: orgId } = organization
  return (
    <OverviewTab
      organization={organization}
      contacts={<ContactsSummary orgId={orgId} />}
      keys={
        <>
          <OrganizationKeys orgId={orgId} />
          <OrganizationApiKeys orgId={orgId} />
        </>
      }
    />
  )
}

function DevicesTab({ orgId }: { orgId: string }) {
  const search = useSearch({ from: '/app/organizations/$orgId' })
  const navigate = useNavigate({ from: '/organizations/$orgId' })
  return (
    <DeviceList
      search={search}
      orgId={orgId}
      onSearch={(change) => navigate({ search: (old) => ({ ...old, ...change }), replace: true })}
    />
  )
}
