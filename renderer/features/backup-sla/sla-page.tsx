import { Button, Modal } from '@mantine/core'
import { IconPlus, IconTargetArrow } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { slaConfigsQuery, slaDashboardQuery } from '../../data/backup-sla.ts'
import { OfOrganization } from '../../domain/organizations/choose-organization.tsx'
import { OrganizationSwitcher } from '../../domain/organizations/organization-switcher.tsx'
import { useShownOrganizationId } from '../../domain/organizations/selected-organization.ts'
import { useOfferActions } from '../../lib/page-actions.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { closeUnlessUnsaved } from '../../ui/confirm-leave.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { EmptyList } from '../../ui/states.tsx'
import { BreachesPanel } from './breaches-panel.tsx'
import { EventsPanel } from './events-panel.tsx'
import { HistoryPanel } from './history-panel.tsx'
import classes from './sla.module.css'
import { SlaForm } from './sla-form.tsx'
import { SlaTable } from './sla-table.tsx'
import { SummaryPanel } from './summary-panel.tsx'

/** What is promised about the backups of an organization, and how far it is kept. */
export function SlaPage() {
  const me = useMe()
  const hasOrganization = useShownOrganizationId() !== undefined
  const mayWrite = hasOrganization && can(me, 'organizations:write') && !me.isConfined
  const navigate = useNavigate({ from: '/backup/sla' })
  const add = () => navigate({ search: (old) => ({ ...old, edit: 'new' }) })
  useOfferActions(mayWrite ? [{ label: 'New SLA', alias: 'New', Icon: IconPlus, run: add }] : [])
  return (
    <>
      <PageHeader
        title="SLA"
        before={<OrganizationSwitcher hiddenFrom="sm" />}
        about="How recent backups have to be and how fast a restore. Homeport checks every ten minutes."
        actions={
          mayWrite && (
            <Button leftSection={<IconPlus size={16} />} onClick={add}>
              New SLA
            </Button>
          )
        }
      />
      <OfOrganization what="SLAs">{(orgId) => <Sla key={orgId} orgId={orgId} mayWrite={mayWrite} />}</OfOrganization>
    </>
  )
}

function Sla({ orgId, mayWrite }: { orgId: string; mayWrite: boolean }) {
  const { edit } = useSearch({ from: '/app/backup/sla' })
  const { isConfined } = useMe()
  const navigate = useNavigate({ from: '/backup/sla' })
  const configs = useQuery(slaConfigsQuery(orgId))
  const dashboard = useQuery(slaDashboardQuery(orgId))
  const open = (id: string) => navigate({ search: (old) => ({ ...old, edit: id }) })
  const close = () => navigate({ search: (old) => ({ ...old, edit: undefined }), replace: true })
  const edited = configs.data?.find(({ id }) => id === edit)
  const isOpen = mayWrite && (edit === 'new' || edited !== undefined)
  return (
    <>
      <Loaded of={configs} lines={6}>
        {(rows) =>
          rows.length === 0 && !isConfined ? (
            <NoSla mayWrite={mayWrite} onAdd={() => open('new')} />
          ) : (
            <div className={classes.page}>
              <BreachesPanel orgId={orgId} />
              <Loaded of={dashboard} lines={4}>
                {(data) => <SummaryPanel dashboard={data} />}
              </Loaded>
              {!isConfined && (
                <div className={classes.whole}>
                  <Panel title="SLAs">
                    <SlaTable orgId={orgId} configs={rows} onEdit={mayWrite ? open : undefined} />
                  </Panel>
                </div>
              )}
              <div className={classes.whole}>
                <HistoryPanel orgId={orgId} />
              </div>
              <div className={classes.whole}>
                <EventsPanel orgId={orgId} configs={rows} />
              </div>
            </div>
          )
        }
      </Loaded>
      <Modal opened={isOpen} onClose={closeUnlessUnsaved(close)} title={edited ? edited.name : 'New SLA'}>
        {isOpen && <SlaForm key={edit} orgId={orgId} sla={edited} onDone={close} />}
      </Modal>
    </>
  )
}

const NoSla = ({ mayWrite, onAdd }: { mayWrite: boolean; onAdd: () => void }) => (
  <EmptyList
    icon={<IconTargetArrow stroke={1.5} />}
    title="No SLA yet"
    action={mayWrite && <Button onClick={onAdd}>New SLA</Button>}
  >
    Say how old the newest backup of a device may be and how long a restore may take. You’ll be told when that isn’t
    met.
  </EmptyList>
)
