import { useMe } from '../../lib/session.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { SsoPanel } from './sso-panel.tsx'

/** For who belongs to one organization, and so has no page of organizations to find it on. */
export function SsoPage() {
  const { orgId } = useMe()
  return (
    <>
      <PageHeader title="Single sign-on" about="People sign in with the account of their identity provider." />
      {orgId && <SsoPanel owner={{ orgId }} />}
    </>
  )
}
