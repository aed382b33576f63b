/** The page of a person; for platform administrators, below the partner. */
export const personPage = (
  { partnerId, orgId }: { partnerId?: string | undefined; orgId?: string | undefined },
  personId: string,
) =>
  partnerId
    ? ({ to: '/companies/$partnerId/people/$personId', params: { partnerId, personId } } as const)
    : ({ to: '/settings/people/$personId', params: { personId }, search: { in: orgId } } as const)
