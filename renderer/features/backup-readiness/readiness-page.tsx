import { Text } from '@mantine/core'
import { IconPrinter, IconRefresh, IconShieldCheck } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { backupHealthQuery, calculateReadiness, readinessQuery } from '../../data/backup-readiness.ts'
import { organizationQuery } from '../../data/organizations.ts'
import { OfOrganization } from '../../domain/organizations/choose-organization.tsx'
import { OrganizationSwitcher } from '../../domain/organizations/organization-switcher.tsx'
import { notifyDone, notifyFailed } from '../../lib/notify.ts'
import { useOfferActions } from '../../lib/page-actions.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { ButtonLink } from '../../ui/links.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { EmptyList } from '../../ui/states.tsx'
import classes from './readiness.module.css'
import { ReadinessList } from './readiness-list.tsx'
import { SummaryPanel } from './summary-panel.tsx'

const print = () => window.print()

/** Whether the devices of an organization could be brought back from their backups. */
export function ReadinessPage() {
  return (
    <>
      <PageHeader
        title="Recovery readiness"
        before={<OrganizationSwitcher hiddenFrom="sm" />}
        about="Could we bring our devices back, how long would it take, and how much would be lost?"
      />
      <OfOrganization what="Backups">{(orgId) => <Readiness key={orgId} orgId={orgId} />}</OfOrganization>
    </>
  )
}

function Readiness({ orgId }: { orgId: string }) {
  const readiness = useQuery(readinessQuery(orgId))
  const health = useQuery(backupHealthQuery(orgId))
  const { mutate, isPending } = useMutation({
    ...calculateReadiness(orgId),
    onSuccess: (data) => {
      notifyDone('Calculated again')
      return calculateReadiness(orgId).onSuccess(data)
    },
    onError: notifyFailed('Nothing was calculated'),
  })
  const calculate = () => mutate()
  useOfferActions([
    { label: 'Recalculate readiness', alias: 'Refresh', Icon: IconRefresh, run: calculate },
    { label: 'Print readiness', Icon: IconPrinter, run: print },
  ])
  return (
    <Loaded of={readiness} lines={8}>
      {({ summary, devices }) =>
        devices.length === 0 ? (
          <NothingProtected />
        ) : (
          <div className={classes.page}>
            <PrintedOrganization orgId={orgId} />
            <SummaryPanel
              summary={summary}
              health={health}
              isCalculating={isPending}
              onCalculate={calculate}
              onPrint={print}
            />
            <ReadinessList devices={devices} />
          </div>
        )
      }
    </Loaded>
  )
}

/** On paper the page has no list of organizations around it. */
function PrintedOrganization({ orgId }: { orgId: string }) {
  const me = useMe()
  // Above a page for people of one organization stands its name.
  const enabled = me.scope !== 'organization' && can(me, 'organizations:read')
  const organization = useQuery({ ...organizationQuery(orgId), enabled })
  return (
    <Text className="print-only" fw={600}>
      {organization.data?.name}
    </Text>
  )
}

function NothingProtected() {
  const me = useMe()
  const maySee = can(me, 'devices:read') && can(me, 'backup:read')
  return (
    <EmptyList
      icon={<IconShieldCheck stroke={1.5} />}
      title="No device is protected"
      action={maySee && <ButtonLink to="/backup/protection">Protect devices</ButtonLink>}
    >
      {me.isConfined
        ? 'None of the devices that you see is backed up. If one is lost, so is what is on it.'
        : 'If a device is lost, so is what is on it. Protected devices appear here with a score.'}
    </EmptyList>
  )
}
