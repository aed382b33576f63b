import { useQuery } from '@tanstack/react-query'
import { Loaded } from '../../ui/loaded.tsx'
import { BrandingForm } from './branding-form.tsx'
import { brandingQuery } from './data.ts'

/** How the company presents the sign-in page. */
export function BrandingTab({ isEditable }: { isEditable: boolean }) {
  const branding = useQuery(brandingQuery)
  return <Loaded of={branding}>{(saved) => <BrandingForm branding={saved} isEditable={isEditable} />}</Loaded>
}
