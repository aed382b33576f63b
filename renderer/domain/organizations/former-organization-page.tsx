import type { ReactNode } from 'react'
import { useFocusOnAppear } from '../../lib/use-focus-on-appear.ts'
import { TextLink } from '../../ui/links.tsx'
import { PageHeader } from '../../ui/page-header.tsx'

/** The page shown in place of an organization that no longer exists. */
export function FormerOrganizationPage({ title, children }: { title: string; children: ReactNode }) {
  const ref = useFocusOnAppear<HTMLDivElement>()
  return (
    <div ref={ref} tabIndex={-1} style={{ outline: 'none' }}>
      <PageHeader
        title={title}
        before={
          <TextLink to="/organizations" size="sm">
            Organizations
          </TextLink>
        }
      />
      {children}
    </div>
  )
}
