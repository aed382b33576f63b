import { useQuery } from '@tanstack/react-query'
import { Failed, Lines } from '../../ui/states.tsx'
import { BrandingForm } from './branding-form.tsx'
import { brandingQuery } from './data.ts'

/** How the company presents the sign-in page. */
export function BrandingTab({ isEditable }: { isEditable: boolean }) {
  const { data, error, refetch } = useQuery(brandingQuery)
  if (error && !data) return <Failed error={error} onRetry={refetch} />
  return data ? <BrandingForm branding={data} isEditable={isEditable} /> : <Lines />
}
