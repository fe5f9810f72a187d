// Derived from the table of minecraft-data (https://github.com/PrismarineJS/minecraft-data), which is under the MIT licence,
// copyright of its authors; stairs are straight here, as their shape follows from their neighbours.

/**
 * Blocks of 1.8 to 1.12 as states of 1.13. An entry has `id:name` of all blocks with the same states, the properties in
 * brackets, and for each state its data as a hexadecimal digit with the values of the properties that have none. Lines
 * that begin with a space continue an entry.
 */
export const OLD_BLOCKS = `
0:air 1:stone 3:dirt 4:cobblestone 5:oak_planks 7:bedrock 12:sand 13:gravel 14:gold_ore 15:iron_ore 16:coal_ore
 19:sponge 20:glass 21:lapis_ore 22:lapis_block 24:sandstone 25:note_block 30:cobweb 31:dead_bush 32:dead_bush
 35:white_wool 37:dandelion 38:poppy 39:brown_mushroom 40:red_mushroom 41:gold_block 42:iron_block 45:bricks
 47:bookshelf 48:mossy_cobblestone 49:obsidian 52:spawner 56:diamond_ore 57:diamond_block 58:crafting_table
 79:ice 80:snow_block 82:clay 87:netherrack 88:soul_sand 89:glowstone 95:white_stained_glass 97:infested_stone
 98:stone_bricks 103:melon 111:lily_pad 112:nether_bricks 116:enchanting_table 119:end_portal 121:end_stone
 122:dragon_egg 129:emerald_ore 133:emerald_block 138:beacon 140:flower_pot 152:redstone_block
 153:nether_quartz_ore 155:quartz_block 159:white_terracotta 165:slime_block 166:barrier 168:prismarine
 169:sea_lantern 171:white_carpet 172:terracotta 173:coal_block 174:packed_ice 179:red_sandstone
 201:purpur_block 206:end_stone_bricks 208:grass_path 209:end_gateway 213:magma_block 214:nether_wart_block
 215:red_nether_bricks 217:structure_void 251:white_concrete 252:white_concrete_powder [] 0
1:granite 3:coarse_dirt 5:spruce_planks 12:red_sand 19:wet_sponge 24:chiseled_sandstone 31:grass 35:orange_wool
 38:blue_orchid 95:orange_stained_glass 97:infested_cobblestone 98:mossy_stone_bricks 140:potted_poppy
 155:chiseled_quartz_block 159:orange_terracotta 168:prismarine_bricks 171:orange_carpet
 179:chiseled_red_sandstone 251:orange_concrete 252:orange_concrete_powder [] 1
1:polished_granite 5:birch_planks 24:cut_sandstone 31:fern 35:magenta_wool 38:allium 95:magenta_stained_glass
 97:infested_stone_bricks 98:cracked_stone_bricks 140:potted_dandelion 159:magenta_terracotta
 168:dark_prismarine 171:magenta_carpet 179:cut_red_sandstone 251:magenta_concrete 252:magenta_concrete_powder
 [] 2
1:diorite 5:jungle_planks 35:light_blue_wool 38:azure_bluet 95:light_blue_stained_glass
 97:infested_mossy_stone_bricks 98:chiseled_stone_bricks 140:potted_oak_sapling 159:light_blue_terracotta
 171:light_blue_carpet 251:light_blue_concrete 252:light_blue_concrete_powder [] 3
1:polished_diorite 5:acacia_planks 35:yellow_wool 38:red_tulip 95:yellow_stained_glass
 97:infested_cracked_stone_bricks 140:potted_spruce_sapling 159:yellow_terracotta 171:yellow_carpet
 251:yellow_concrete 252:yellow_concrete_powder [] 4
1:andesite 5:dark_oak_planks 35:lime_wool 38:orange_tulip 50:torch 95:lime_stained_glass
 97:infested_chiseled_stone_bricks 140:potted_birch_sapling 159:lime_terracotta 171:lime_carpet
 251:lime_concrete 252:lime_concrete_powder [] 5
1:polished_andesite 35:pink_wool 38:white_tulip 95:pink_stained_glass 140:potted_jungle_sapling
 159:pink_terracotta 171:pink_carpet 251:pink_concrete 252:pink_concrete_powder [] 6
2:grass_block 110:mycelium [snowy=false] 0
3:podzol [snowy=false] 2
6:oak_sapling [stage] 0.0 8.1
6:spruce_sapling [stage] 1.0 9.1
6:birch_sapling [stage] 2.0 a.1
6:jungle_sapling [stage] 3.0 b.1
6:acacia_sapling [stage] 4.0 c.1
6:dark_oak_sapling [stage] 5.0 d.1
8:water 9:water 10:lava 11:lava [level] 0.0 1.1 2.2 3.3 4.4 5.5 6.6 7.7 8.8 9.9 a.10 b.11 c.12 d.13 e.14 f.15
17:oak_log 162:acacia_log 170:hay_block 202:purpur_pillar 216:bone_block [axis] 0.y 4.x 8.z
17:spruce_log 162:dark_oak_log [axis] 1.y 5.x 9.z
17:birch_log [axis] 2.y 6.x a.z
17:jungle_log [axis] 3.y 7.x b.z
17:oak_wood 35:brown_wool 95:brown_stained_glass 140:potted_acacia_sapling 159:brown_terracotta 162:acacia_wood
 171:brown_carpet 251:brown_concrete 252:brown_concrete_powder [] c
17:spruce_wood 35:green_wool 95:green_stained_glass 140:potted_dark_oak_sapling 159:green_terracotta
 162:dark_oak_wood 171:green_carpet 251:green_concrete 252:green_concrete_powder [] d
17:birch_wood 35:red_wool 95:red_stained_glass 140:potted_blue_orchid 159:red_terracotta 171:red_carpet
 251:red_concrete 252:red_concrete_powder [] e
17:jungle_wood 35:black_wool 43:smooth_quartz 95:black_stained_glass 140:potted_allium 159:black_terracotta
 171:black_carpet 251:black_concrete 252:black_concrete_powder [] f
18:oak_leaves 161:acacia_leaves [distance=1,persistent] 0.false 4.true 8.false c.true
18:spruce_leaves 161:dark_oak_leaves [distance=1,persistent] 1.false 5.true 9.false d.true
18:birch_leaves [distance=1,persistent] 2.false 6.true a.false e.true
18:jungle_leaves [distance=1,persistent] 3.false 7.true b.false f.true
23:dispenser 158:dropper [facing,triggered] 0.down.false 1.up.false 2.north.false 3.south.false 4.west.false
 5.east.false 8.down.true 9.up.true a.north.true b.south.true c.west.true d.east.true
26:red_bed [facing,occupied,part] 0.south.false.foot 1.west.false.foot 2.north.false.foot 3.east.false.foot
 4.south.true.foot 5.west.true.foot 6.north.true.foot 7.east.true.foot 8.south.false.head 9.west.false.head
 a.north.false.head b.east.false.head c.south.true.head d.west.true.head e.north.true.head f.east.true.head
27:powered_rail 28:detector_rail 157:activator_rail [powered,shape] 0.false.north_south 1.false.east_west
 2.false.ascending_east 3.false.ascending_west 4.false.ascending_north 5.false.ascending_south
 8.true.north_south 9.true.east_west a.true.ascending_east b.true.ascending_west c.true.ascending_north
 d.true.ascending_south
29:sticky_piston 33:piston [extended,facing] 0.false.down 1.false.up 2.false.north 3.false.south 4.false.west
 5.false.east 8.true.down 9.true.up a.true.north b.true.south c.true.west d.true.east
34:piston_head [facing,short=false,type] 0.down.normal 1.up.normal 2.north.normal 3.south.normal 4.west.normal
 5.east.normal 8.down.sticky 9.up.sticky a.north.sticky b.south.sticky c.west.sticky d.east.sticky
35:gray_wool 38:pink_tulip 95:gray_stained_glass 140:potted_red_mushroom 159:gray_terracotta 171:gray_carpet
 251:gray_concrete 252:gray_concrete_powder [] 7
35:light_gray_wool 38:oxeye_daisy 43:smooth_stone 95:light_gray_stained_glass 140:potted_brown_mushroom
 159:light_gray_terracotta 171:light_gray_carpet 181:smooth_red_sandstone 251:light_gray_concrete
 252:light_gray_concrete_powder [] 8
35:cyan_wool 43:smooth_sandstone 95:cyan_stained_glass 140:potted_cactus 159:cyan_terracotta 171:cyan_carpet
 251:cyan_concrete 252:cyan_concrete_powder [] 9
35:purple_wool 95:purple_stained_glass 140:potted_dead_bush 159:purple_terracotta 171:purple_carpet
 251:purple_concrete 252:purple_concrete_powder [] a
35:blue_wool 95:blue_stained_glass 140:potted_fern 159:blue_terracotta 171:blue_carpet 251:blue_concrete
 252:blue_concrete_powder [] b
36:moving_piston [facing,type] 0.down.normal 1.up.normal 2.north.normal 3.south.normal 4.west.normal
 5.east.normal 8.down.sticky 9.up.sticky a.north.sticky b.south.sticky c.west.sticky d.east.sticky
43:stone_slab 125:oak_slab 181:red_sandstone_slab 204:purpur_slab [type=double] 0
43:sandstone_slab 125:spruce_slab [type=double] 1
43:petrified_oak_slab [type=double] 2 a
43:cobblestone_slab [type=double] 3 b
43:brick_slab [type=double] 4 c
43:stone_brick_slab [type=double] 5 d
43:nether_brick_slab [type=double] 6 e
43:quartz_slab [type=double] 7
44:stone_slab 126:oak_slab 182:red_sandstone_slab 205:purpur_slab [type] 0.bottom 8.top
44:sandstone_slab 126:spruce_slab [type] 1.bottom 9.top
44:petrified_oak_slab 126:birch_slab [type] 2.bottom a.top
44:cobblestone_slab 126:jungle_slab [type] 3.bottom b.top
44:brick_slab 126:acacia_slab [type] 4.bottom c.top
44:stone_brick_slab 126:dark_oak_slab [type] 5.bottom d.top
44:nether_brick_slab [type] 6.bottom e.top
44:quartz_slab [type] 7.bottom f.top
46:tnt [unstable] 0.false 1.true
50:wall_torch [facing] 1.east 2.west 3.south 4.north
51:fire [age,east=false,north=false,south=false,up=false,west=false] 0.0 1.1 2.2 3.3 4.4 5.5 6.6 7.7 8.8 9.9
 a.10 b.11 c.12 d.13 e.14 f.15
53:oak_stairs 67:cobblestone_stairs 108:brick_stairs 109:stone_brick_stairs 114:nether_brick_stairs
 128:sandstone_stairs 134:spruce_stairs 135:birch_stairs 136:jungle_stairs 156:quartz_stairs 163:acacia_stairs
 164:dark_oak_stairs 180:red_sandstone_stairs 203:purpur_stairs [facing,half,shape=straight] 0.east.bottom
 1.west.bottom 2.south.bottom 3.north.bottom 4.east.top 5.west.top 6.south.top 7.north.top
54:chest 146:trapped_chest [facing,type=single] 2.north 3.south 4.west 5.east
55:redstone_wire [east=none,north=none,power,south=none,west=none] 0.0 1.1 2.2 3.3 4.4 5.5 6.6 7.7 8.8 9.9 a.10
 b.11 c.12 d.13 e.14 f.15
59:wheat 104:pumpkin_stem 105:melon_stem 141:carrots 142:potatoes [age] 0.0 1.1 2.2 3.3 4.4 5.5 6.6 7.7
60:farmland [moisture] 0.0 1.1 2.2 3.3 4.4 5.5 6.6 7.7
61:furnace [facing,lit=false] 2.north 3.south 4.west 5.east
62:furnace [facing,lit=true] 2.north 3.south 4.west 5.east
63:sign 176:white_banner [rotation] 0.0 1.1 2.2 3.3 4.4 5.5 6.6 7.7 8.8 9.9 a.10 b.11 c.12 d.13 e.14 f.15
64:oak_door 71:iron_door 193:spruce_door 194:birch_door 195:jungle_door 196:acacia_door 197:dark_oak_door
 [facing,half,hinge,open,powered] 0.east.lower.right.false.false 1.south.lower.right.false.false
 2.west.lower.right.false.false 3.north.lower.right.false.false 4.east.lower.right.true.false
 5.south.lower.right.true.false 6.west.lower.right.true.false 7.north.lower.right.true.false
 8.east.upper.left.false.false 9.east.upper.right.false.false a.east.upper.left.false.true
 b.east.upper.right.false.true
65:ladder 68:wall_sign 130:ender_chest 177:white_wall_banner [facing] 2.north 3.south 4.west 5.east
66:rail [shape] 0.north_south 1.east_west 2.ascending_east 3.ascending_west 4.ascending_north 5.ascending_south
 6.south_east 7.south_west 8.north_west 9.north_east
69:lever [face,facing,powered] 0.ceiling.north.false 1.wall.east.false 2.wall.west.false 3.wall.south.false
 4.wall.north.false 5.floor.east.false 6.floor.north.false 7.ceiling.east.false 8.ceiling.north.true
 9.wall.east.true a.wall.west.true b.wall.south.true c.wall.north.true d.floor.east.true e.floor.north.true
 f.ceiling.east.true
70:stone_pressure_plate 72:oak_pressure_plate [powered] 0.false 1.true
73:redstone_ore 123:redstone_lamp [lit=false] 0
74:redstone_ore 124:redstone_lamp [lit=true] 0
75:redstone_wall_torch [facing,lit=false] 1.east 2.west 3.south 4.north
75:redstone_torch [lit=false] 5
76:redstone_wall_torch [facing,lit=true] 1.east 2.west 3.south 4.north
76:redstone_torch [lit=true] 5
77:stone_button 143:oak_button [face,facing,powered] 0.ceiling.east.false 1.wall.east.false 2.wall.west.false
 3.wall.south.false 4.wall.north.false 5.floor.east.false 8.ceiling.south.true 9.wall.east.true a.wall.west.true
 b.wall.south.true c.wall.north.true d.floor.south.true
78:snow [layers] 0.1 1.2 2.3 3.4 4.5 5.6 6.7 7.8
81:cactus 83:sugar_cane [age] 0.0 1.1 2.2 3.3 4.4 5.5 6.6 7.7 8.8 9.9 a.10 b.11 c.12 d.13 e.14 f.15
84:jukebox [has_record] 0.false 1.true
85:oak_fence 101:iron_bars 102:glass_pane 113:nether_brick_fence 160:white_stained_glass_pane 188:spruce_fence
 189:birch_fence 190:jungle_fence 191:dark_oak_fence 192:acacia_fence
 [east=false,north=false,south=false,west=false] 0
86:carved_pumpkin 91:jack_o_lantern 145:anvil 235:white_glazed_terracotta 236:orange_glazed_terracotta
 237:magenta_glazed_terracotta 238:light_blue_glazed_terracotta 239:yellow_glazed_terracotta
 240:lime_glazed_terracotta 241:pink_glazed_terracotta 242:gray_glazed_terracotta
 243:light_gray_glazed_terracotta 244:cyan_glazed_terracotta 245:purple_glazed_terracotta
 246:blue_glazed_terracotta 247:brown_glazed_terracotta 248:green_glazed_terracotta 249:red_glazed_terracotta
 250:black_glazed_terracotta [facing] 0.south 1.west 2.north 3.east
90:nether_portal [axis] 1.x 2.z
92:cake [bites] 0.0 1.1 2.2 3.3 4.4 5.5 6.6
93:repeater [delay,facing,locked=false,powered=false] 0.1.south 1.1.west 2.1.north 3.1.east 4.2.south 5.2.west
 6.2.north 7.2.east 8.3.south 9.3.west a.3.north b.3.east c.4.south d.4.west e.4.north f.4.east
94:repeater [delay,facing,locked=false,powered=true] 0.1.south 1.1.west 2.1.north 3.1.east 4.2.south 5.2.west
 6.2.north 7.2.east 8.3.south 9.3.west a.3.north b.3.east c.4.south d.4.west e.4.north f.4.east
96:oak_trapdoor [facing,half,open,powered] 0.north.bottom.false.false 1.south.bottom.false.false
 2.west.bottom.false.false 3.east.bottom.false.false 4.north.bottom.true.true 5.south.bottom.true.true
 6.west.bottom.true.true 7.east.bottom.true.true 8.north.top.false.false 9.south.top.false.false
 a.west.top.false.false b.east.top.false.false c.north.top.true.true d.south.top.true.true e.west.top.true.true
 f.east.top.true.true
99:brown_mushroom_block 100:red_mushroom_block [down,east,north,south,up,west]
 0.false.false.false.false.false.false 1.false.false.true.false.true.true 2.false.false.true.false.true.false
 3.false.true.true.false.true.false 4.false.false.false.false.true.true 5.false.false.false.false.true.false
 6.false.true.false.false.true.false 7.false.false.false.true.true.true 8.false.false.false.true.true.false
 9.false.true.false.true.true.false e.true.true.true.true.true.true
99:mushroom_stem 100:mushroom_stem [down,east=true,north=true,south=true,up,west=true] a.false.false f.true.true
106:vine [east,north,south,up=false,west] 0.false.false.false.false 1.false.false.true.false
 2.false.false.false.true 3.false.false.true.true 4.false.true.false.false 5.false.true.true.false
 6.false.true.false.true 7.false.true.true.true 8.true.false.false.false 9.true.false.true.false
 a.true.false.false.true b.true.false.true.true c.true.true.false.false d.true.true.true.false
 e.true.true.false.true f.true.true.true.true
107:oak_fence_gate 183:spruce_fence_gate 184:birch_fence_gate 185:jungle_fence_gate 186:dark_oak_fence_gate
 187:acacia_fence_gate [facing,in_wall=false,open,powered] 0.south.false.false 1.west.false.false
 2.north.false.false 3.east.false.false 4.south.true.false 5.west.true.false 6.north.true.false
 7.east.true.false 8.south.false.true 9.west.false.true a.north.false.true b.east.false.true c.south.true.true
 d.west.true.true e.north.true.true f.east.true.true
115:nether_wart 207:beetroots 212:frosted_ice [age] 0.0 1.1 2.2 3.3
117:brewing_stand [has_bottle_0,has_bottle_1,has_bottle_2] 0.false.false.false 1.true.false.false
 2.false.true.false 3.true.true.false 4.false.false.true 5.true.false.true 6.false.true.true 7.true.true.true
118:cauldron [level] 0.0 1.1 2.2 3.3
120:end_portal_frame [eye,facing] 0.false.south 1.false.west 2.false.north 3.false.east 4.true.south 5.true.west
 6.true.north 7.true.east
125:birch_slab [type=double] 2
125:jungle_slab [type=double] 3
125:acacia_slab [type=double] 4
125:dark_oak_slab [type=double] 5
127:cocoa [age,facing] 0.0.south 1.0.west 2.0.north 3.0.east 4.1.south 5.1.west 6.1.north 7.1.east 8.2.south
 9.2.west a.2.north b.2.east
131:tripwire_hook [attached,facing,powered] 0.false.south.false 1.false.west.false 2.false.north.false
 3.false.east.false 4.true.south.false 5.true.west.false 6.true.north.false 7.true.east.false 8.false.south.true
 9.false.west.true a.false.north.true b.false.east.true c.true.south.true d.true.west.true e.true.north.true
 f.true.east.true
132:tripwire [attached,disarmed,east=false,north=false,powered,south=false,west=false] 0.false.false.false
 1.false.false.true 4.true.false.false 5.true.false.true 8.false.true.false 9.false.true.true c.true.true.false
 d.true.true.true
137:command_block 210:repeating_command_block 211:chain_command_block [conditional,facing] 0.false.down
 1.false.up 2.false.north 3.false.south 4.false.west 5.false.east 8.true.down 9.true.up a.true.north
 b.true.south c.true.west d.true.east
139:cobblestone_wall [east=false,north=false,south=false,up=false,west=false] 0
139:mossy_cobblestone_wall [east=false,north=false,south=false,up=false,west=false] 1
144:skeleton_skull [rotation] 0.0 1.4 8.8 9.12
144:skeleton_wall_skull [facing] 2.north 3.south 4.west 5.east a.north b.south c.west d.east
145:chipped_anvil [facing] 4.south 5.west 6.north 7.east
145:damaged_anvil [facing] 8.south 9.west a.north b.east
147:light_weighted_pressure_plate 148:heavy_weighted_pressure_plate [power] 0.0 1.1 2.2 3.3 4.4 5.5 6.6 7.7 8.8
 9.9 a.10 b.11 c.12 d.13 e.14 f.15
149:comparator [facing,mode,powered=false] 0.south.compare 1.west.compare 2.north.compare 3.east.compare
 4.south.subtract 5.west.subtract 6.north.subtract 7.east.subtract 8.south.compare 9.west.compare
 a.north.compare b.east.compare c.south.subtract d.west.subtract e.north.subtract f.east.subtract
150:comparator [facing,mode,powered=true] 0.south.compare 1.west.compare 2.north.compare 3.east.compare
 4.south.subtract 5.west.subtract 6.north.subtract 7.east.subtract 8.south.compare 9.west.compare
 a.north.compare b.east.compare c.south.subtract d.west.subtract e.north.subtract f.east.subtract
151:daylight_detector [inverted=false,power] 0.0 1.1 2.2 3.3 4.4 5.5 6.6 7.7 8.8 9.9 a.10 b.11 c.12 d.13 e.14
 f.15
154:hopper [enabled,facing] 0.true.down 2.true.north 3.true.south 4.true.west 5.true.east 8.false.down
 a.false.north b.false.south c.false.west d.false.east
155:quartz_pillar [axis] 2.y 3.x 4.z 6.x a.z
160:orange_stained_glass_pane [east=false,north=false,south=false,west=false] 1
160:magenta_stained_glass_pane [east=false,north=false,south=false,west=false] 2
160:light_blue_stained_glass_pane [east=false,north=false,south=false,west=false] 3
160:yellow_stained_glass_pane [east=false,north=false,south=false,west=false] 4
160:lime_stained_glass_pane [east=false,north=false,south=false,west=false] 5
160:pink_stained_glass_pane [east=false,north=false,south=false,west=false] 6
160:gray_stained_glass_pane [east=false,north=false,south=false,west=false] 7
160:light_gray_stained_glass_pane [east=false,north=false,south=false,west=false] 8
160:cyan_stained_glass_pane [east=false,north=false,south=false,west=false] 9
160:purple_stained_glass_pane [east=false,north=false,south=false,west=false] a
160:blue_stained_glass_pane [east=false,north=false,south=false,west=false] b
160:brown_stained_glass_pane [east=false,north=false,south=false,west=false] c
160:green_stained_glass_pane [east=false,north=false,south=false,west=false] d
160:red_stained_glass_pane [east=false,north=false,south=false,west=false] e
160:black_stained_glass_pane [east=false,north=false,south=false,west=false] f
167:iron_trapdoor [facing,half,open] 0.north.bottom.false 1.south.bottom.false 2.west.bottom.false
 3.east.bottom.false 4.north.bottom.true 5.south.bottom.true 6.west.bottom.true 7.east.bottom.true
 8.north.top.false 9.south.top.false a.west.top.false b.east.top.false c.north.top.true d.south.top.true
 e.west.top.true f.east.top.true
175:sunflower [half] 0.lower 8.upper
175:lilac [half] 1.lower 9.upper
175:tall_grass [half] 2.lower a.upper
175:large_fern [half] 3.lower b.upper
175:rose_bush [half] 4.lower c.upper
175:peony [half] 5.lower d.upper
178:daylight_detector [inverted=true,power] 0.0 1.1 2.2 3.3 4.4 5.5 6.6 7.7 8.8 9.9 a.10 b.11 c.12 d.13 e.14
 f.15
198:end_rod 219:white_shulker_box 220:orange_shulker_box 221:magenta_shulker_box 222:light_blue_shulker_box
 223:yellow_shulker_box 224:lime_shulker_box 225:pink_shulker_box 226:gray_shulker_box
 227:light_gray_shulker_box 228:cyan_shulker_box 229:purple_shulker_box 230:blue_shulker_box
 231:brown_shulker_box 232:green_shulker_box 233:red_shulker_box 234:black_shulker_box [facing] 0.down 1.up
 2.north 3.south 4.west 5.east
199:chorus_plant [down=false,east=false,north=false,south=false,up=false,west=false] 0
200:chorus_flower [age] 0.0 1.1 2.2 3.3 4.4 5.5
218:observer [facing,powered] 0.down.false 1.up.false 2.north.false 3.south.false 4.west.false 5.east.false
 8.down.true 9.up.true a.north.true b.south.true c.west.true d.east.true
255:structure_block [mode] 0.save 1.load 2.corner 3.data
`;
