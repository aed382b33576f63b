import { useMe } from '../../lib/session.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { SsoPanel } from './sso-panel.tsx'

/** For users of one organization, who have no page of organizations. */
export function SsoPage() {
  const { orgId } = useMe()
  return (
    <>
      <PageHeader title="Single sign-on" about="Let people sign in with their identity provider account." />
      {orgId && <SsoPanel owner={{ orgId }} />}
    </>
  )
}
