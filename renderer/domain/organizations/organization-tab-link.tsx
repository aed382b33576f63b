import type { ReactNode } from 'react'
import { TextLink } from '../../ui/links.tsx'
import type { OrganizationTab } from './organization-tabs.ts'

interface Props {
  tab: OrganizationTab
  children: ReactNode
}

/** Links to another tab of the same organization. */
export function OrganizationTabLink({ tab, children }: Props) {
  return (
    <TextLink from="/organizations/$orgId" to="." search={{ tab }} size="sm">
      {children}
    </TextLink>
  )
}
