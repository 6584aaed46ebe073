// The schema of how names meet those of other clusters.
import * as z from 'zod';
import { type ClaimSettings, SHARINGS } from '../objects/claim-settings.ts';

export const storedClaim = z.object({
  standby: z.literal(true).exactOptional(),
  sharing: z.enum(SHARINGS).exactOptional(),
  weight: z.number().exactOptional(),
} satisfies { readonly [Key in keyof Required<ClaimSettings>]: z.ZodType });
