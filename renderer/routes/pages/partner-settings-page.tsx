import { useQuery } from '@tanstack/react-query'
import type { Partner } from '../../../shared/api/partners.ts'
import { ownPartnerQuery } from '../../data/partner.ts'
import { GeneralTab } from '../../features/partner-settings/general-tab.tsx'
import { mayChangePartner } from '../../features/partner-settings/may-change-partner.ts'
import { ReadOnlyNote } from '../../features/partner-settings/read-only-notes.tsx'
import { PsaConnectionsPanel } from '../../features/psa/connections-panel.tsx'
import { useMe } from '../../lib/session.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHeader } from '../../ui/page-header.tsx'

export function PartnerSettingsPage() {
  const own = useQuery(ownPartnerQuery)
  return (
    <>
      <PageHeader title="Company" about="Settings for everyone in your company." />
      <Loaded of={own}>{(partner) => <Settings partner={partner} />}</Loaded>
    </>
  )
}

function Settings({ partner }: { partner: Partner }) {
  const me = useMe()
  const isEditable = mayChangePartner(me)
  const usedId = partner.serviceManagementPsaConnectionId
  return (
    <>
      {!isEditable && <ReadOnlyNote />}
      <GeneralTab
        partner={partner}
        isEditable={isEditable}
        psaConnections={<PsaConnectionsPanel isEditable={isEditable && me.canManagePartnerWide} usedId={usedId} />}
      />
    </>
  )
}
